"""Documents that are paid, currency and balance: CRP20236 to CRP20244, CRP20277, keys of MonedaDR."""

from __future__ import annotations

from timbra.cfdi.nodes.pago import ONE
from timbra.cfdi.nodes.pagos20 import DoctoRelacionado
from timbra.money import written_decimals
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.pagos20.monto import REVISION_B, SAME_CURRENCY_DECIMALS
from timbra.rules.rulesets.pagos20.sums import Payments
from timbra.rules.shared.conditions import decimals_of, key_of
from timbra.rules.shared.pagos.pago import DOCUMENT_AT as AT
from timbra.rules.shared.pagos.pago import is_a_currency, is_positive


@rule("CRP20236", at=f"{AT}/@MonedaDR")
def document_has_a_currency(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return is_a_currency(document.MonedaDR)


@rule("CRP20999:MonedaDR", at=f"{AT}/@MonedaDR", reads=("MonedaDR",))
def currency_is_a_key(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Moneda", document.MonedaDR)


@rule("CRP20237", at=f"{AT}/@EquivalenciaDR")
def other_currency_has_its_equivalence(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    currency = ctx.memoize(Payments).of(document).MonedaP
    if document.EquivalenciaDR is not None or document.MonedaDR == currency:
        return None
    return Violation(expected=f"las unidades de {document.MonedaDR} que valen una de {currency}")


@rule("CRP20238", at=f"{AT}/@EquivalenciaDR")
def same_currency_is_worth_one(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    if document.MonedaDR != ctx.memoize(Payments).of(document).MonedaP:
        return None
    if document.EquivalenciaDR is not None and document.equivalencia == ONE:
        return None
    return Violation(found=document.EquivalenciaDR, expected=f"1, por MonedaDR igual a MonedaP {document.MonedaDR}")


@rule("CRP20277", at=f"{AT}/@EquivalenciaDR", since=REVISION_B)
def one_is_written_with_ten_decimals(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    """Where documents of the payment's currency stand beside documents of others."""
    text, pago = document.EquivalenciaDR, ctx.memoize(Payments).of(document)
    if text is None or document.MonedaDR != pago.MonedaP or not ctx.memoize(Payments).mixes(document):
        return None
    if document.equivalencia != ONE or written_decimals(text) == SAME_CURRENCY_DECIMALS:
        return None
    return Violation(found=text, expected="1.0000000000: hay documentos en otra moneda")


@rule("CRP20239", at=f"{AT}/@ImpSaldoAnt", inseparable=("CRP20244",))
def earlier_balance_is_positive(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return is_positive(document.ImpSaldoAnt, document.saldo_anterior)


@rule("CRP20240", at=f"{AT}/@ImpSaldoAnt")
def earlier_balance_has_the_decimals_of_its_currency(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    return decimals_of(ctx, document.ImpSaldoAnt, document.MonedaDR)


@rule("CRP20241", at=f"{AT}/@ImpPagado")
def paid_amount_is_positive(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return is_positive(document.ImpPagado, document.pagado)


@rule("CRP20242", at=f"{AT}/@ImpPagado")
def paid_amount_has_the_decimals_of_its_currency(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    return decimals_of(ctx, document.ImpPagado, document.MonedaDR)


@rule("CRP20243", at=f"{AT}/@ImpSaldoInsoluto")
def balance_has_the_decimals_of_its_currency(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    return decimals_of(ctx, document.ImpSaldoInsoluto, document.MonedaDR)


@rule("CRP20244", at=f"{AT}/@ImpSaldoInsoluto")
def balance_is_what_remains(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    remains = document.saldo_anterior - document.pagado
    if document.saldo_insoluto == remains >= 0:
        return None
    why = f"{document.ImpSaldoAnt} menos {document.ImpPagado}, y al menos cero"
    return Violation(found=document.ImpSaldoInsoluto, expected=f"{remains:f}, de {why}")
