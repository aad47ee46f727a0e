"""The invoice that carries the complement, and its only Concepto: CRP20101 to CRP20123, UsoCFDI, one Pagos."""

from __future__ import annotations

from typing import Final

from lxml import etree

from timbra.cfdi.nodes import Comprobante, Concepto, ImpuestosTotales, Receptor
from timbra.cfdi.nodes.pagos20 import TAG, Pagos
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Severity, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.pagos20.sources import STANDARD
from timbra.rules.shared.pagos import BY_THE_COMPLEMENT, WHY
from timbra.rules.shared.predicates import equals, is_absent, raw_equals, raw_is_absent
from timbra.rules.shared.single_concepto import has_no_children, has_one_concepto, is_forbidden

ALLOWED_COMPLEMENTS: Final = frozenset(
    {
        TAG,
        "{http://www.sat.gob.mx/TimbreFiscalDigital}TimbreFiscalDigital",
        "{http://www.sat.gob.mx/registrofiscal}CFDIRegistroFiscal",
    }
)
"""Complements that an invoice with this complement may have."""


CRP20101 = row(
    "CRP20101",
    Comprobante,
    at="@TipoDeComprobante",
    says="Con el complemento Recepción de Pagos, TipoDeComprobante debe ser P.",
    check=equals("TipoDeComprobante", "P", BY_THE_COMPLEMENT),
)


CRP20102 = row(
    "CRP20102",
    Comprobante,
    at="@Exportacion",
    says="En un comprobante de pago, Exportacion debe ser 01.",
    check=equals("Exportacion", "01", WHY),
)


CRP20103 = row(
    "CRP20103",
    Comprobante,
    at="@SubTotal",
    says="En un comprobante de pago, SubTotal debe ser 0.",
    check=equals("SubTotal", "0", WHY),
    inseparable=("CFDI40109",),
)


CRP20104 = row(
    "CRP20104",
    Comprobante,
    at="@Moneda",
    says="En un comprobante de pago, Moneda debe ser XXX.",
    check=equals("Moneda", "XXX", WHY),
)


CRP20105 = row(
    "CRP20105",
    Comprobante,
    at="@FormaPago",
    says="En un comprobante de pago, FormaPago no debe existir.",
    check=is_absent("FormaPago", WHY),
    inseparable=("CFDI40103",),
)


CRP20106 = row(
    "CRP20106",
    Comprobante,
    at="@MetodoPago",
    says="En un comprobante de pago, MetodoPago no debe existir.",
    check=is_absent("MetodoPago", WHY),
    inseparable=("CFDI40125",),
)


CRP20107 = row(
    "CRP20107",
    Comprobante,
    at="@CondicionesDePago",
    says="En un comprobante de pago, CondicionesDePago no debe existir.",
    check=is_absent("CondicionesDePago", WHY),
    inseparable=("CFDI40999:CondicionesDePago",),
)


CRP20108 = row(
    "CRP20108",
    Comprobante,
    at="@Descuento",
    says="En un comprobante de pago, Descuento no debe existir.",
    check=is_absent("Descuento", WHY),
    inseparable=("CFDI40111",),
)


CRP20109 = row(
    "CRP20109",
    Comprobante,
    at="@TipoCambio",
    says="En un comprobante de pago, TipoCambio no debe existir.",
    check=is_absent("TipoCambio", WHY),
    inseparable=("CFDI40116",),
)


CRP20110 = row(
    "CRP20110",
    Comprobante,
    at="@Total",
    says="En un comprobante de pago, Total debe ser 0.",
    check=equals("Total", "0", WHY),
    inseparable=("CFDI40119",),
)


CRP20123 = row(
    "CRP20123",
    ImpuestosTotales,
    at="Impuestos",
    says="En un comprobante de pago, el nodo Impuestos del comprobante no debe existir.",
    check=is_forbidden("Impuestos", WHY),
    inseparable=("CFDI40201",),
)


CRP20999_UsoCFDI = row(
    "CRP20999:UsoCFDI",
    Receptor,
    at="Receptor/@UsoCFDI",
    says="En un comprobante de pago, UsoCFDI debe ser CP01.",
    note="Es un aviso: la matriz no tiene un código para esta condición. Un proveedor timbra pagos con otros usos.",
    check=equals("UsoCFDI", "CP01", WHY),
    types="P",
    severity=Severity.WARNING,
    cites=STANDARD,
)


@rule(
    "CRP20999:Pagos-unique",
    at="Complemento/Pagos",
    says="El nodo Pagos debe ser único y solo puede acompañarlo Timbre Fiscal Digital o CFDI Registro Fiscal.",
    cites=STANDARD,
)
def complement_is_unique_and_alone(pagos: Pagos, ctx: EvaluationContext) -> RuleResult:
    if pagos.index > 1:
        return Violation(found=f"Pagos[{pagos.index}]", expected="un solo nodo Pagos")
    others = [element for element in ctx.comprobante.complementos if element.tag not in ALLOWED_COMPLEMENTS]
    if not others:
        return None
    names = ", ".join(sorted({etree.QName(element).localname for element in others}))
    return Violation(found=names, expected="ningún otro complemento que Timbre Fiscal Digital o CFDI Registro Fiscal")


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
