"""The invoice that carries the complement: CRP20101 to CRP20110, CRP20123, UsoCFDI, one Pagos."""

from __future__ import annotations

from typing import Final

from lxml import etree

from timbra.cfdi.nodes import Comprobante, ImpuestosTotales, Receptor
from timbra.cfdi.nodes.pagos20 import TAG, Pagos
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Severity, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.pagos20.matrix import STANDARD
from timbra.rules.shared.conditions import absent
from timbra.rules.shared.pagos.comprobante import WHY, is_of_a_payment, no_taxes, written

COMPANIONS: Final = frozenset(
    {
        TAG,
        "{http://www.sat.gob.mx/TimbreFiscalDigital}TimbreFiscalDigital",
        "{http://www.sat.gob.mx/registrofiscal}CFDIRegistroFiscal",
    }
)
"""What may stand beside the complement."""


@rule("CRP20101", at="@TipoDeComprobante")
def complement_is_of_a_payment(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return is_of_a_payment(comprobante)


@rule("CRP20102", at="@Exportacion")
def payment_is_no_export(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return written(comprobante.Exportacion, "01")


@rule("CRP20103", at="@SubTotal", inseparable=("CFDI40109",))
def subtotal_is_written_zero(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return written(comprobante.SubTotal, "0")


@rule("CRP20104", at="@Moneda")
def invoice_has_no_currency(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return written(comprobante.Moneda, "XXX")


@rule("CRP20105", at="@FormaPago", inseparable=("CFDI40103",))
def form_of_payment_is_that_of_the_payment(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return absent(comprobante.FormaPago, WHY)


@rule("CRP20106", at="@MetodoPago", inseparable=("CFDI40125",))
def payment_has_no_method(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return absent(comprobante.MetodoPago, WHY)


@rule("CRP20107", at="@CondicionesDePago", inseparable=("CFDI40999:CondicionesDePago",))
def payment_has_no_terms(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return absent(comprobante.CondicionesDePago, WHY)


@rule("CRP20108", at="@Descuento", inseparable=("CFDI40111",))
def payment_has_no_discount(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return absent(comprobante.Descuento, WHY)


@rule("CRP20109", at="@TipoCambio", inseparable=("CFDI40116",))
def invoice_has_no_rate(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return absent(comprobante.TipoCambio, WHY)


@rule("CRP20110", at="@Total", inseparable=("CFDI40119",))
def total_is_written_zero(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return written(comprobante.Total, "0")


@rule("CRP20123", at="Impuestos", inseparable=("CFDI40201",))
def invoice_has_no_taxes(_impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    return no_taxes()


@rule("CRP20999:UsoCFDI", at="Receptor/@UsoCFDI", source=STANDARD, types="P", severity=Severity.WARNING)
def use_is_payments(receptor: Receptor, _ctx: EvaluationContext) -> RuleResult:
    """A warning: the matrix has no code for it, and a provider stamps payments with other uses."""
    return written(receptor.UsoCFDI, "CP01")


@rule("CRP20999:Pagos-unique", at="Complemento/Pagos", source=STANDARD)
def complement_stands_alone(pagos: Pagos, ctx: EvaluationContext) -> RuleResult:
    """One node Pagos, and beside it only the stamp and Registro Fiscal."""
    if pagos.index > 1:
        return Violation(found=f"Pagos[{pagos.index}]", expected="un solo nodo Pagos")
    others = [element for element in ctx.comprobante.complementos if element.tag not in COMPANIONS]
    if not others:
        return None
    names = ", ".join(sorted({etree.QName(element).localname for element in others}))
    return Violation(found=names, expected="ningún otro complemento que Timbre Fiscal Digital o CFDI Registro Fiscal")
