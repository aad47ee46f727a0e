"""The balance of a paid document: CRP221 to CRP226, CRP234 to CRP236."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos10 import DoctoRelacionado
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.pagos10.documento import in_parts
from timbra.rules.rulesets.pagos10.sums import may_leave_out, paid, payment_of
from timbra.rules.shared.conditions import decimals_of
from timbra.rules.shared.pagos.pago import DOCUMENT_AT as AT
from timbra.rules.shared.pagos.pago import is_positive


def _decimals(document: DoctoRelacionado, ctx: EvaluationContext, text: str | None) -> RuleResult:
    return None if text is None else decimals_of(ctx, text, document.MonedaDR)


@rule("CRP221", at=f"{AT}/@ImpSaldoAnt")
def earlier_balance_is_positive(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    text = document.ImpSaldoAnt
    return None if text is None else is_positive(text, document.saldo_anterior)


@rule("CRP222", at=f"{AT}/@ImpSaldoAnt")
def earlier_balance_has_the_decimals_of_its_currency(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    return _decimals(document, ctx, document.ImpSaldoAnt)


@rule("CRP223", at=f"{AT}/@ImpPagado")
def paid_amount_is_positive(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return None if document.ImpPagado is None else is_positive(document.ImpPagado, document.pagado)


@rule("CRP224", at=f"{AT}/@ImpPagado")
def paid_amount_has_the_decimals_of_its_currency(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    return _decimals(document, ctx, document.ImpPagado)


@rule("CRP225", at=f"{AT}/@ImpSaldoInsoluto")
def balance_has_the_decimals_of_its_currency(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    return _decimals(document, ctx, document.ImpSaldoInsoluto)


@rule("CRP226", at=f"{AT}/@ImpSaldoInsoluto")
def balance_is_what_remains(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    """Without ImpSaldoAnt, or without an ImpPagado that must be there, it is at least not negative."""
    if document.ImpSaldoInsoluto is None:
        return None
    pago = payment_of(document, ctx)
    amount = document.ImpPagado or (pago.Monto if may_leave_out(pago, document) else None)
    if document.ImpSaldoAnt is None or amount is None:
        holds, expected = document.saldo_insoluto >= 0, "al menos cero"
    else:
        remains = document.saldo_anterior - paid(pago, document)
        holds = document.saldo_insoluto == remains >= 0
        expected = f"{remains:f}, de {document.ImpSaldoAnt} menos {amount}, y al menos cero"
    return None if holds else Violation(found=document.ImpSaldoInsoluto, expected=expected)


@rule("CRP234", at=f"{AT}/@ImpSaldoAnt")
def part_has_its_earlier_balance(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return in_parts(document, document.ImpSaldoAnt)


@rule("CRP235", at=f"{AT}/@ImpPagado")
def paid_amount_is_told(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    """Where it is not Monto: one of several documents, or one with a rate of exchange."""
    if document.ImpPagado is not None or may_leave_out(payment_of(document, ctx), document):
        return None
    why = "por TipoCambioDR" if document.TipoCambioDR is not None else "por haber varios documentos"
    return Violation(expected=f"el importe que se paga del documento, {why}")


@rule("CRP236", at=f"{AT}/@ImpSaldoInsoluto")
def part_has_its_balance(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return in_parts(document, document.ImpSaldoInsoluto)
