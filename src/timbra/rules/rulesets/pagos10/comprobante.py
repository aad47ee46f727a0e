"""The invoice that carries the complement: CRP101 to CRP110, CRP122."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, ImpuestosTotales, Receptor
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import absent
from timbra.rules.shared.pagos.comprobante import WHY, is_of_a_payment, no_taxes, written


@rule("CRP101", at="@TipoDeComprobante")
def complement_is_of_a_payment(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return is_of_a_payment(comprobante)


@rule("CRP102", at="@SubTotal", inseparable=("CFDI33108",))
def subtotal_is_written_zero(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return written(comprobante.SubTotal, "0")


@rule("CRP103", at="@Moneda")
def invoice_has_no_currency(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return written(comprobante.Moneda, "XXX")


@rule("CRP104", at="@FormaPago", inseparable=("CFDI33103",))
def form_of_payment_is_that_of_the_payment(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return absent(comprobante.FormaPago, WHY)


@rule("CRP105", at="@MetodoPago", inseparable=("CFDI33123", "CFDI33124"))
def payment_has_no_method(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return absent(comprobante.MetodoPago, WHY)


@rule("CRP106", at="@CondicionesDePago")
def payment_has_no_terms(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return absent(comprobante.CondicionesDePago, WHY)


@rule("CRP107", at="@Descuento")
def payment_has_no_discount(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return absent(comprobante.Descuento, WHY)


@rule("CRP108", at="@TipoCambio", inseparable=("CFDI33115",))
def invoice_has_no_rate(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return absent(comprobante.TipoCambio, WHY)


@rule("CRP109", at="@Total", inseparable=("CFDI33118",))
def total_is_written_zero(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return written(comprobante.Total, "0")


@rule("CRP110", at="Receptor/@UsoCFDI")
def use_is_to_be_defined(receptor: Receptor, _ctx: EvaluationContext) -> RuleResult:
    return written(receptor.UsoCFDI, "P01")


@rule("CRP122", at="Impuestos", inseparable=("CFDI33179",))
def invoice_has_no_taxes(_impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    return no_taxes()
