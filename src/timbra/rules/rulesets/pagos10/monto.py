"""What is paid, and what of it goes to which document: CRP206 to CRP209."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.pagos10 import DoctoRelacionado, Pago
from timbra.money import written_decimals
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Severity, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.pagos10.sums import paid
from timbra.rules.shared.conditions import decimals_of
from timbra.rules.shared.pagos import pago as payments
from timbra.rules.shared.pagos.montos import Paid
from timbra.rules.shared.pagos.pago import AT, PESOS, is_positive

EPSILON: Final = Decimal("1E-10")


def least(pago: Pago, document: DoctoRelacionado, decimals: int) -> Decimal:
    """The smallest that ImpPagado may be in the payment's currency, which has so many decimals.

    In its own currency it is what it says. A document in pesos that is paid in another currency has TipoCambioDR 1
    (CRP220), which says nothing about the two; TipoCambioP does.
    """
    amount = paid(pago, document)
    if document.MonedaDR == pago.MonedaP or document.ImpPagado is None:
        return amount
    pesos = document.MonedaDR == PESOS
    rate, text = (pago.tipo_cambio, pago.TipoCambioP) if pesos else (document.tipo_cambio, document.TipoCambioDR)
    written = Paid(document.ImpPagado, amount, rate, written_decimals(text or ""))
    return written.limits(decimals, EPSILON).lower


@rule("CRP206", at=f"{AT}/@Monto")
def amount_covers_the_documents(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    decimals = ctx.decimals_of(pago.MonedaP)
    if decimals is None:
        return None
    total = sum([least(pago, document, decimals) for document in pago.documentos], ZERO)
    if total <= pago.monto:
        return None
    return Violation(found=pago.Monto, expected=f"al menos {total:f}, la suma de ImpPagado en {pago.MonedaP}")


@rule("CRP207", at=f"{AT}/@Monto")
def amount_is_positive(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return is_positive(pago.Monto, pago.monto)


@rule("CRP208", at=f"{AT}/@Monto")
def amount_has_the_decimals_of_its_currency(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return decimals_of(ctx, pago.Monto, pago.MonedaP)


@rule("CRP209", at=f"{AT}/@Monto", severity=Severity.SUSPENDED)
def unusual_amount_is_confirmed(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return payments.unusual_amount_is_confirmed(pago, ctx)
