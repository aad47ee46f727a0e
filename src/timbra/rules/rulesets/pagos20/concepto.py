"""The only Concepto of a payment: CRP20111 to CRP20122."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.rules.engine.rule import row
from timbra.rules.shared.pagos.comprobante import WHY
from timbra.rules.shared.predicates import equals, is_absent, raw_equals, raw_is_absent
from timbra.rules.shared.single_concepto import has_no_children, has_one_concepto

CRP20111 = row(
    "CRP20111",
    Comprobante,
    at="Conceptos/Concepto",
    says="Un comprobante de pago debe llevar un solo concepto.",
    check=has_one_concepto(WHY),
)


CRP20112 = row(
    "CRP20112",
    Concepto,
    at="Conceptos/Concepto",
    says="El concepto de un pago no debe llevar otro nodo que ACuentaTerceros.",
    check=has_no_children(WHY, allowed=("ACuentaTerceros",)),
)


CRP20113 = row(
    "CRP20113",
    Concepto,
    at="Conceptos/Concepto/@ClaveProdServ",
    says="ClaveProdServ del concepto de un pago debe ser 84111506.",
    check=equals("ClaveProdServ", "84111506", WHY),
)


CRP20114 = row(
    "CRP20114",
    Concepto,
    at="Conceptos/Concepto/@NoIdentificacion",
    says="NoIdentificacion del concepto de un pago no debe existir.",
    check=raw_is_absent("NoIdentificacion", WHY),
)


CRP20115 = row(
    "CRP20115",
    Concepto,
    at="Conceptos/Concepto/@Cantidad",
    says="Cantidad del concepto de un pago debe ser 1.",
    check=equals("Cantidad", "1", WHY),
)


CRP20116 = row(
    "CRP20116",
    Concepto,
    at="Conceptos/Concepto/@ClaveUnidad",
    says="ClaveUnidad del concepto de un pago debe ser ACT.",
    check=equals("ClaveUnidad", "ACT", WHY),
)


CRP20117 = row(
    "CRP20117",
    Concepto,
    at="Conceptos/Concepto/@Unidad",
    says="Unidad del concepto de un pago no debe existir.",
    check=raw_is_absent("Unidad", WHY),
)


CRP20118 = row(
    "CRP20118",
    Concepto,
    at="Conceptos/Concepto/@Descripcion",
    says="Descripcion del concepto de un pago debe ser Pago.",
    check=raw_equals("Descripcion", "Pago", WHY),
)


CRP20119 = row(
    "CRP20119",
    Concepto,
    at="Conceptos/Concepto/@ValorUnitario",
    says="ValorUnitario del concepto de un pago debe ser 0.",
    check=equals("ValorUnitario", "0", WHY),
)


CRP20120 = row(
    "CRP20120",
    Concepto,
    at="Conceptos/Concepto/@Importe",
    says="Importe del concepto de un pago debe ser 0.",
    check=equals("Importe", "0", WHY),
)


CRP20121 = row(
    "CRP20121",
    Concepto,
    at="Conceptos/Concepto/@Descuento",
    says="Descuento del concepto de un pago no debe existir.",
    check=is_absent("Descuento", WHY),
    inseparable=("CFDI40999:Concepto-Descuento",),
)


CRP20122 = row(
    "CRP20122",
    Concepto,
    at="Conceptos/Concepto/@ObjetoImp",
    says="ObjetoImp del concepto de un pago debe ser 01.",
    check=equals("ObjetoImp", "01", WHY),
)
