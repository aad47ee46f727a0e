"""The only Concepto of a payment: CRP111 to CRP121."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.rules.engine.rule import row
from timbra.rules.shared.pagos import WHY
from timbra.rules.shared.predicates import equals, is_absent, raw_equals, raw_is_absent
from timbra.rules.shared.single_concepto import has_no_children, has_one_concepto

CRP111 = row(
    "CRP111",
    Comprobante,
    at="Conceptos/Concepto",
    says="Un CFDI 3.3 de pago debe llevar un solo concepto.",
    check=has_one_concepto(WHY),
)


CRP112 = row(
    "CRP112",
    Concepto,
    at="Conceptos/Concepto",
    says="El concepto de un CFDI 3.3 de pago no debe llevar nodos.",
    check=has_no_children(WHY),
)


CRP113 = row(
    "CRP113",
    Concepto,
    at="Conceptos/Concepto/@ClaveProdServ",
    says="ClaveProdServ del concepto de un CFDI 3.3 de pago debe ser 84111506.",
    check=equals("ClaveProdServ", "84111506", WHY),
)


CRP114 = row(
    "CRP114",
    Concepto,
    at="Conceptos/Concepto/@NoIdentificacion",
    says="NoIdentificacion del concepto de un CFDI 3.3 de pago no debe existir.",
    check=raw_is_absent("NoIdentificacion", WHY),
)


CRP115 = row(
    "CRP115",
    Concepto,
    at="Conceptos/Concepto/@Cantidad",
    says="Cantidad del concepto de un CFDI 3.3 de pago debe ser 1.",
    check=equals("Cantidad", "1", WHY),
)


CRP116 = row(
    "CRP116",
    Concepto,
    at="Conceptos/Concepto/@ClaveUnidad",
    says="ClaveUnidad del concepto de un CFDI 3.3 de pago debe ser ACT.",
    check=equals("ClaveUnidad", "ACT", WHY),
)


CRP117 = row(
    "CRP117",
    Concepto,
    at="Conceptos/Concepto/@Unidad",
    says="Unidad del concepto de un CFDI 3.3 de pago no debe existir.",
    check=raw_is_absent("Unidad", WHY),
)


CRP118 = row(
    "CRP118",
    Concepto,
    at="Conceptos/Concepto/@Descripcion",
    says="Descripcion del concepto de un CFDI 3.3 de pago debe ser Pago.",
    check=raw_equals("Descripcion", "Pago", WHY),
)


CRP119 = row(
    "CRP119",
    Concepto,
    at="Conceptos/Concepto/@ValorUnitario",
    says="ValorUnitario del concepto de un CFDI 3.3 de pago debe ser 0.",
    check=equals("ValorUnitario", "0", WHY),
)


CRP120 = row(
    "CRP120",
    Concepto,
    at="Conceptos/Concepto/@Importe",
    says="Importe del concepto de un CFDI 3.3 de pago debe ser 0.",
    check=equals("Importe", "0", WHY),
)


CRP121 = row(
    "CRP121",
    Concepto,
    at="Conceptos/Concepto/@Descuento",
    says="Descuento del concepto de un CFDI 3.3 de pago no debe existir.",
    check=is_absent("Descuento", WHY),
)
