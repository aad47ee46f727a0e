"""The only Concepto of a payroll: NOM13 to NOM29."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.examples.codes.nomina12 import SCHOOL_COMPLEMENT, invoice_discount
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.rule import row
from timbra.rules.shared.nomina.concepto import discount_equals_withheld_sum, equals_paid_sum
from timbra.rules.shared.nomina.keys import WHY
from timbra.rules.shared.predicates import equals, raw_equals, raw_is_absent
from timbra.rules.shared.single_concepto import has_no_child, has_one_concepto_without_children

NOM13 = row(
    "NOM13",
    Comprobante,
    at="Conceptos/Concepto",
    says="Un recibo de nómina debe llevar un solo concepto, sin nodos.",
    note="Cada nodo del concepto incumple además su propio código, de NOM24 a NOM29.",
    check=has_one_concepto_without_children(WHY),
    fails={
        "Conceptos/Concepto[2]": ExampleNode(
            "cfdi:Concepto",
            {
                "ClaveProdServ": "84111505",
                "Cantidad": "1",
                "ClaveUnidad": "ACT",
                "Descripcion": "Pago de nómina",
                "ValorUnitario": "200.00",
                "Importe": "200.00",
                "ObjetoImp": "01",
            },
        ),
        "@SubTotal": "400.00",
        "@Total": "400.00",
    },
)


NOM14 = row(
    "NOM14",
    Concepto,
    at="Conceptos/Concepto/@ClaveProdServ",
    says="ClaveProdServ del concepto de nómina debe ser 84111505.",
    check=equals("ClaveProdServ", "84111505", WHY),
    fails={"Conceptos/Concepto/@ClaveProdServ": "84111506"},
)


NOM15 = row(
    "NOM15",
    Concepto,
    at="Conceptos/Concepto/@NoIdentificacion",
    says="NoIdentificacion del concepto de nómina no debe existir.",
    check=raw_is_absent("NoIdentificacion", WHY),
    fails={"Conceptos/Concepto/@NoIdentificacion": "1"},
)


NOM16 = row(
    "NOM16",
    Concepto,
    at="Conceptos/Concepto/@Cantidad",
    says="Cantidad del concepto de nómina debe ser 1, sin decimales.",
    check=equals("Cantidad", "1", WHY),
    fails={"Conceptos/Concepto/@Cantidad": "1.0"},
)


NOM17 = row(
    "NOM17",
    Concepto,
    at="Conceptos/Concepto/@ClaveUnidad",
    says="ClaveUnidad del concepto de nómina debe ser ACT.",
    check=equals("ClaveUnidad", "ACT", WHY),
    fails={"Conceptos/Concepto/@ClaveUnidad": "E48"},
)


NOM18 = row(
    "NOM18",
    Concepto,
    at="Conceptos/Concepto/@Unidad",
    says="Unidad del concepto de nómina no debe existir.",
    check=raw_is_absent("Unidad", WHY),
    fails={"Conceptos/Concepto/@Unidad": "Actividad"},
)


NOM19 = row(
    "NOM19",
    Concepto,
    at="Conceptos/Concepto/@Descripcion",
    says="Descripcion del concepto de nómina debe ser Pago de nómina.",
    check=raw_equals("Descripcion", "Pago de nómina", WHY),
    fails={"Conceptos/Concepto/@Descripcion": "Pago de quincena"},
)


NOM20 = row(
    "NOM20",
    Concepto,
    at="Conceptos/Concepto/@ValorUnitario",
    says="ValorUnitario debe ser la suma de TotalPercepciones y TotalOtrosPagos.",
    check=equals_paid_sum("ValorUnitario", "valor_unitario"),
    fails={"Conceptos/Concepto/@ValorUnitario": "210.00"},
)


NOM21 = row(
    "NOM21",
    Concepto,
    at="Conceptos/Concepto/@Importe",
    says="Importe del concepto debe ser la suma de TotalPercepciones y TotalOtrosPagos.",
    check=equals_paid_sum("Importe", "importe"),
    fails={"Conceptos/Concepto/@Importe": "210.00", "@SubTotal": "210.00", "@Total": "210.00"},
)


NOM22 = row(
    "NOM22",
    Concepto,
    at="Conceptos/Concepto/@Descuento",
    says="Descuento del concepto debe ser TotalDeducciones y no existir sin deducciones.",
    check=discount_equals_withheld_sum,
    fails={
        **invoice_discount("10.00", total="190.00"),
    },
)


NOM23 = row(
    "NOM23",
    Concepto,
    at="Conceptos/Concepto/@ObjetoImp",
    says="ObjetoImp del concepto de nómina debe ser 01.",
    check=equals("ObjetoImp", "01", WHY),
    fails={"Conceptos/Concepto/@ObjetoImp": "03"},
)


NOM24 = row(
    "NOM24",
    Concepto,
    at="Conceptos/Concepto/Impuestos",
    says="El concepto de nómina no debe llevar el nodo Impuestos.",
    check=has_no_child("Impuestos", WHY),
    inseparable=("CFDI40172", "NOM13"),
    fails={
        "Conceptos/Concepto/Impuestos/Traslados/Traslado/@Base": "200.00",
        "Conceptos/Concepto/Impuestos/Traslados/Traslado/@Impuesto": "002",
        "Conceptos/Concepto/Impuestos/Traslados/Traslado/@TipoFactor": "Exento",
    },
)


NOM25 = row(
    "NOM25",
    Concepto,
    at="Conceptos/Concepto/ACuentaTerceros",
    says="El concepto de nómina no debe llevar el nodo ACuentaTerceros.",
    check=has_no_child("ACuentaTerceros", WHY),
    inseparable=("NOM13",),
    fails={
        "Conceptos/Concepto/ACuentaTerceros/@RfcACuentaTerceros": "CACX7605101P8",
        "Conceptos/Concepto/ACuentaTerceros/@NombreACuentaTerceros": "XOCHILT CASAS CHAVEZ",
        "Conceptos/Concepto/ACuentaTerceros/@RegimenFiscalACuentaTerceros": "612",
        "Conceptos/Concepto/ACuentaTerceros/@DomicilioFiscalACuentaTerceros": "36257",
    },
)


NOM26 = row(
    "NOM26",
    Concepto,
    at="Conceptos/Concepto/InformacionAduanera",
    says="El concepto de nómina no debe llevar el nodo InformacionAduanera.",
    check=has_no_child("InformacionAduanera", WHY),
    inseparable=("NOM13",),
    fails={"Conceptos/Concepto/InformacionAduanera/@NumeroPedimento": "26  48  3009  6000123"},
)


NOM27 = row(
    "NOM27",
    Concepto,
    at="Conceptos/Concepto/CuentaPredial",
    says="El concepto de nómina no debe llevar el nodo CuentaPredial.",
    check=has_no_child("CuentaPredial", WHY),
    inseparable=("NOM13",),
    fails={"Conceptos/Concepto/CuentaPredial/@Numero": "1"},
)


NOM28 = row(
    "NOM28",
    Concepto,
    at="Conceptos/Concepto/ComplementoConcepto",
    says="El concepto de nómina no debe llevar el nodo ComplementoConcepto.",
    check=has_no_child("ComplementoConcepto", WHY),
    inseparable=("NOM13",),
    fails=SCHOOL_COMPLEMENT,
)


NOM29 = row(
    "NOM29",
    Concepto,
    at="Conceptos/Concepto/Parte",
    says="El concepto de nómina no debe llevar el nodo Parte.",
    check=has_no_child("Parte", WHY),
    inseparable=("NOM13",),
    fails={
        "Conceptos/Concepto/Parte/@ClaveProdServ": "01010101",
        "Conceptos/Concepto/Parte/@Cantidad": "1",
        "Conceptos/Concepto/Parte/@Descripcion": "Parte",
    },
)
