"""The only Concepto of a payroll: NOM139 to NOM148."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.examples.codes.nomina12 import invoice_discount
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.nomina12b.sources import MATRIX_B
from timbra.rules.shared.nomina.concepto import discount_equals_withheld_sum, equals_paid_sum
from timbra.rules.shared.nomina.keys import WHY
from timbra.rules.shared.predicates import equals, raw_equals, raw_is_absent
from timbra.rules.shared.single_concepto import has_one_concepto_without_children

NOM139 = row(
    "NOM139",
    Comprobante,
    at="Conceptos/Concepto",
    says="Un CFDI 3.3 de nómina debe llevar un solo concepto, sin nodos.",
    check=has_one_concepto_without_children(WHY),
    cites=MATRIX_B,
    fails={"Conceptos/Concepto/CuentaPredial": ExampleNode("cfdi:CuentaPredial", {"Numero": "1"})},
)


NOM140 = row(
    "NOM140",
    Concepto,
    at="Conceptos/Concepto/@ClaveProdServ",
    says="ClaveProdServ del concepto de nómina debe ser 84111505.",
    check=equals("ClaveProdServ", "84111505", WHY),
    cites=MATRIX_B,
    fails={"Conceptos/Concepto/@ClaveProdServ": "84111506"},
)


NOM141 = row(
    "NOM141",
    Concepto,
    at="Conceptos/Concepto/@NoIdentificacion",
    says="NoIdentificacion del concepto de nómina no debe existir.",
    check=raw_is_absent("NoIdentificacion", WHY),
    cites=MATRIX_B,
    fails={"Conceptos/Concepto/@NoIdentificacion": "1"},
)


NOM142 = row(
    "NOM142",
    Concepto,
    at="Conceptos/Concepto/@Cantidad",
    says="Cantidad del concepto de nómina debe ser 1, sin decimales.",
    check=equals("Cantidad", "1", WHY),
    cites=MATRIX_B,
    fails={"Conceptos/Concepto/@Cantidad": "1.0"},
)


NOM143 = row(
    "NOM143",
    Concepto,
    at="Conceptos/Concepto/@ClaveUnidad",
    says="ClaveUnidad del concepto de nómina debe ser ACT.",
    check=equals("ClaveUnidad", "ACT", WHY),
    cites=MATRIX_B,
    fails={"Conceptos/Concepto/@ClaveUnidad": "E48"},
)


NOM144 = row(
    "NOM144",
    Concepto,
    at="Conceptos/Concepto/@Unidad",
    says="Unidad del concepto de nómina no debe existir.",
    check=raw_is_absent("Unidad", WHY),
    cites=MATRIX_B,
    fails={"Conceptos/Concepto/@Unidad": "Actividad"},
)


NOM145 = row(
    "NOM145",
    Concepto,
    at="Conceptos/Concepto/@Descripcion",
    says="Descripcion del concepto de nómina debe ser Pago de nómina.",
    check=raw_equals("Descripcion", "Pago de nómina", WHY),
    cites=MATRIX_B,
    fails={"Conceptos/Concepto/@Descripcion": "Pago de quincena"},
)


NOM146 = row(
    "NOM146",
    Concepto,
    at="Conceptos/Concepto/@ValorUnitario",
    says="ValorUnitario debe ser la suma de TotalPercepciones y TotalOtrosPagos.",
    check=equals_paid_sum("ValorUnitario", "valor_unitario"),
    cites=MATRIX_B,
    fails={"Conceptos/Concepto/@ValorUnitario": "210.00"},
)


NOM147 = row(
    "NOM147",
    Concepto,
    at="Conceptos/Concepto/@Importe",
    says="Importe del concepto debe ser la suma de TotalPercepciones y TotalOtrosPagos.",
    check=equals_paid_sum("Importe", "importe"),
    cites=MATRIX_B,
    fails={"Conceptos/Concepto/@Importe": "210.00", "@SubTotal": "210.00", "@Total": "210.00"},
)


NOM148 = row(
    "NOM148",
    Concepto,
    at="Conceptos/Concepto/@Descuento",
    says="Descuento del concepto debe ser TotalDeducciones y no existir sin deducciones.",
    check=discount_equals_withheld_sum,
    cites=MATRIX_B,
    fails={
        **invoice_discount("10.00", total="190.00"),
    },
)
