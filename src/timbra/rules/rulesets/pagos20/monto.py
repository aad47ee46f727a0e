"""What is paid, and what of it goes to which document: CRP20217 to CRP20220, CRP20275, CRP20276."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.pagos20 import DoctoRelacionado, Pago
from timbra.money import truncate, written_decimals
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Severity, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.pagos20.sums import Payments, converted
from timbra.rules.shared.amounts import AmountLimits
from timbra.rules.shared.conditions import decimals_of
from timbra.rules.shared.pagos import pago as payments
from timbra.rules.shared.pagos.montos import Paid
from timbra.rules.shared.pagos.pago import AT, is_positive

REVISION_B: Final = date(2023, 12, 12)
EPSILON: Final = Decimal("1E-16")
SAME_CURRENCY_DECIMALS: Final = 10
"""So many has the 1 of a document in the payment's currency beside documents in others."""


@rule("CRP20217", at=f"{AT}/@Monto")
def amount_covers_documents_of_its_currency(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    """No tolerance."""
    total = sum([document.pagado for document in pago.documentos if document.MonedaDR == pago.MonedaP], ZERO)
    if total <= pago.monto:
        return None
    return Violation(found=pago.Monto, expected=f"al menos {total:f}, la suma de ImpPagado de los documentos")


@rule("CRP20218", at=f"{AT}/@Monto", inseparable=("CRP20217",))
def amount_is_positive(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    """What its documents are paid is more; with documents in other currencies alone, CRP20276 breaks in its place."""
    return is_positive(pago.Monto, pago.monto)


@rule("CRP20219", at=f"{AT}/@Monto")
def amount_has_the_decimals_of_its_currency(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return decimals_of(ctx, pago.Monto, pago.MonedaP)


@rule("CRP20220", at=f"{AT}/@Monto", severity=Severity.SUSPENDED, inseparable=("CRP20211",))
def unusual_amount_is_confirmed(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    """MontoTotalPagos has no room for such a sum."""
    return payments.unusual_amount_is_confirmed(pago, ctx)


def paid_limits(document: DoctoRelacionado, currency: str, decimals: int) -> AmountLimits:
    """What ImpPagado may be in the payment's currency, which has so many decimals."""
    own = SAME_CURRENCY_DECIMALS if document.MonedaDR == currency else written_decimals(document.EquivalenciaDR or "")
    return Paid(document.ImpPagado, document.pagado, document.equivalencia, own).limits(decimals, EPSILON)


@rule("CRP20276", at=f"{AT}/@Monto", since=REVISION_B)
def amount_covers_documents_of_other_currencies(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    decimals = ctx.decimals_of(pago.MonedaP)
    if decimals is None or not ctx.memoize(Payments).mixes(pago):
        return None
    total = sum([converted(document, document.pagado) for document in pago.documentos], ZERO)
    if truncate(total, decimals) <= pago.monto:
        return None
    every = [paid_limits(document, pago.MonedaP, decimals) for document in pago.documentos]
    limits = AmountLimits(sum([each.lower for each in every], ZERO), sum([each.upper for each in every], ZERO))
    if limits.lower <= pago.monto <= limits.upper:
        return None
    return Violation(found=pago.Monto, expected=f"{limits}, la suma de ImpPagado de los documentos en {pago.MonedaP}")


@rule("CRP20275", at=f"{AT}/DoctoRelacionado/@ImpPagado", since=REVISION_B, inseparable=("CRP20241",))
def converted_amount_is_within_its_limits(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    """Every positive amount is; only one that CRP20241 refuses too can lie outside."""
    pago = ctx.memoize(Payments).of(document)
    decimals = ctx.decimals_of(pago.MonedaP)
    if decimals is None or not ctx.memoize(Payments).mixes(document):
        return None
    value = truncate(converted(document, document.pagado), decimals)
    limits = paid_limits(document, pago.MonedaP, decimals)
    if limits.lower <= value <= limits.upper:
        return None
    return Violation(
        found=document.ImpPagado, expected=f"un importe que en {pago.MonedaP} quede {limits}; es {value:f}"
    )
