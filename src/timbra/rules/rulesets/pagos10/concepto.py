"""The only Concepto of a payment: CRP111 to CRP121."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.rule import row
from timbra.rules.shared.pagos.comprobante import WHY
from timbra.rules.shared.predicates import equals, is_absent, raw_equals, raw_is_absent
from timbra.rules.shared.single_concepto import has_no_children, has_one_concepto

CRP111 = row(
    "CRP111",
    Comprobante,
    at="Conceptos/Concepto",
    says="Un CFDI 3.3 de pago debe llevar un solo concepto.",
    check=has_one_concepto(WHY),
    fails={
        "Conceptos/Concepto[2]": ExampleNode(
            "cfdi:Concepto",
            {
                "ClaveProdServ": "84111506",
                "Cantidad": "1",
                "ClaveUnidad": "ACT",
                "Descripcion": "Pago",
                "ValorUnitario": "0",
                "Importe": "0",
            },
        )
    },
)


CRP112 = row(
    "CRP112",
    Concepto,
    at="Conceptos/Concepto",
    says="El concepto de un CFDI 3.3 de pago no debe llevar nodos.",
    check=has_no_children(WHY),
    fails={"Conceptos/Concepto/CuentaPredial": ExampleNode("cfdi:CuentaPredial", {"Numero": "1"})},
)


CRP113 = row(
    "CRP113",
    Concepto,
    at="Conceptos/Concepto/@ClaveProdServ",
    says="ClaveProdServ del concepto de un CFDI 3.3 de pago debe ser 84111506.",
    check=equals("ClaveProdServ", "84111506", WHY),
    fails={"Conceptos/Concepto/@ClaveProdServ": "84111505"},
)


CRP114 = row(
    "CRP114",
    Concepto,
    at="Conceptos/Concepto/@NoIdentificacion",
    says="NoIdentificacion del concepto de un CFDI 3.3 de pago no debe existir.",
    check=raw_is_absent("NoIdentificacion", WHY),
    fails={"Conceptos/Concepto/@NoIdentificacion": "1"},
)


CRP115 = row(
    "CRP115",
    Concepto,
    at="Conceptos/Concepto/@Cantidad",
    says="Cantidad del concepto de un CFDI 3.3 de pago debe ser 1.",
    check=equals("Cantidad", "1", WHY),
    fails={"Conceptos/Concepto/@Cantidad": "2"},
)


CRP116 = row(
    "CRP116",
    Concepto,
    at="Conceptos/Concepto/@ClaveUnidad",
    says="ClaveUnidad del concepto de un CFDI 3.3 de pago debe ser ACT.",
    check=equals("ClaveUnidad", "ACT", WHY),
    fails={"Conceptos/Concepto/@ClaveUnidad": "E48"},
)


CRP117 = row(
    "CRP117",
    Concepto,
    at="Conceptos/Concepto/@Unidad",
    says="Unidad del concepto de un CFDI 3.3 de pago no debe existir.",
    check=raw_is_absent("Unidad", WHY),
    fails={"Conceptos/Concepto/@Unidad": "Pieza"},
)


CRP118 = row(
    "CRP118",
    Concepto,
    at="Conceptos/Concepto/@Descripcion",
    says="Descripcion del concepto de un CFDI 3.3 de pago debe ser Pago.",
    check=raw_equals("Descripcion", "Pago", WHY),
    fails={"Conceptos/Concepto/@Descripcion": "Pago de factura"},
)


CRP119 = row(
    "CRP119",
    Concepto,
    at="Conceptos/Concepto/@ValorUnitario",
    says="ValorUnitario del concepto de un CFDI 3.3 de pago debe ser 0.",
    check=equals("ValorUnitario", "0", WHY),
    fails={"Conceptos/Concepto/@ValorUnitario": "1"},
)


CRP120 = row(
    "CRP120",
    Concepto,
    at="Conceptos/Concepto/@Importe",
    says="Importe del concepto de un CFDI 3.3 de pago debe ser 0.",
    check=equals("Importe", "0", WHY),
    fails={"Conceptos/Concepto/@Importe": "1"},
)


CRP121 = row(
    "CRP121",
    Concepto,
    at="Conceptos/Concepto/@Descuento",
    says="Descuento del concepto de un CFDI 3.3 de pago no debe existir.",
    check=is_absent("Descuento", WHY),
    fails={"Conceptos/Concepto/@Descuento": "0"},
)
