"""Amount of a payment and amounts that it pays of each document: CRP206 to CRP209."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.pagos10 import DoctoRelacionado, Pago
from timbra.core.money import written_decimals
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Severity, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.pagos10.sums import paid_amount
from timbra.rules.shared.pagos import (
    PESOS,
    Paid,
    has_usual_or_confirmed_amount,
    is_positive,
)
from timbra.rules.shared.predicates import has_decimals_of_currency

EPSILON: Final = Decimal("1E-10")


def lowest_paid_amount(pago: Pago, document: DoctoRelacionado, decimals: int) -> Decimal:
    """Return the lower limit of ImpPagado in the payment's currency.

    The limit of a document in the payment's currency is ImpPagado itself. A document in pesos that is paid in another
    currency has TipoCambioDR 1 (CRP220), so the rate between both currencies is TipoCambioP.

    Args:
        pago: the payment.
        document: the document.
        decimals: decimals of the payment's currency.
    """
    amount = paid_amount(pago, document)
    if document.MonedaDR == pago.MonedaP or document.ImpPagado is None:
        return amount
    pesos = document.MonedaDR == PESOS
    rate, text = (pago.tipo_cambio, pago.TipoCambioP) if pesos else (document.tipo_cambio, document.TipoCambioDR)
    written = Paid(document.ImpPagado, amount, rate, written_decimals(text or ""))
    return written.limits(decimals, EPSILON).lower


@rule(
    "CRP206",
    at="Complemento/Pagos/Pago/@Monto",
    says="Monto debe cubrir la suma de ImpPagado de los documentos, convertida a la moneda del pago.",
)
def amount_covers_documents(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    decimals = ctx.decimals_of(pago.MonedaP)
    if decimals is None:
        return None
    total = sum([lowest_paid_amount(pago, document, decimals) for document in pago.documentos], ZERO)
    if total <= pago.monto:
        return None
    return Violation(found=pago.Monto, expected=f"al menos {total:f}, la suma de ImpPagado en {pago.MonedaP}")


CRP207 = row(
    "CRP207",
    Pago,
    at="Complemento/Pagos/Pago/@Monto",
    says="El Monto del pago debe ser mayor que cero.",
    check=is_positive("Monto", "monto"),
)


CRP208 = row(
    "CRP208",
    Pago,
    at="Complemento/Pagos/Pago/@Monto",
    says="El Monto del pago no debe tener más decimales que su moneda.",
    check=has_decimals_of_currency("Monto", currency="MonedaP"),
)


CRP209 = row(
    "CRP209",
    Pago,
    at="Complemento/Pagos/Pago/@Monto",
    says="Un Monto mayor que el máximo del tipo de comprobante requiere Confirmacion.",
    check=has_usual_or_confirmed_amount,
    severity=Severity.SUSPENDED,
)
