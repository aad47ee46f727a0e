"""Form, currency and amount of a payment."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes.pago import BasePago
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.instants import local_date
from timbra.rules.engine.result import Indeterminate, RuleResult, Violation
from timbra.rules.shared.conditions import key_of
from timbra.rules.shared.exchange_rates import published_limits

AT: Final = "Complemento/Pagos/Pago"
DOCUMENT_AT: Final = f"{AT}/DoctoRelacionado"
PESOS, NONE = "MXN", "XXX"
TO_BE_DEFINED: Final = "99"


def form_is_known(pago: BasePago) -> RuleResult:
    """Check that FormaDePagoP is not 99."""
    if pago.FormaDePagoP != TO_BE_DEFINED:
        return None
    return Violation(found=TO_BE_DEFINED, expected="una forma de pago distinta de 99")


def form_is_a_key(pago: BasePago, ctx: EvaluationContext) -> RuleResult:
    """Check that FormaDePagoP is a key of c_FormaPago."""
    return key_of(ctx, "c_FormaPago", pago.FormaDePagoP)


def is_a_currency(currency: str) -> RuleResult:
    """Check that the currency is not XXX."""
    return Violation(found=NONE, expected="una moneda distinta de XXX") if currency == NONE else None


def other_currencies_have_a_rate(pago: BasePago) -> RuleResult:
    """Check that TipoCambioP is present with a currency other than MXN."""
    if pago.MonedaP == PESOS or pago.TipoCambioP is not None:
        return None
    return Violation(expected=f"el tipo de cambio de {pago.MonedaP}")


def unusual_rate_is_confirmed(pago: BasePago, ctx: EvaluationContext) -> RuleResult:
    """Check the exchange rate with the one published for the day of the payment."""
    if pago.MonedaP in (PESOS, NONE) or pago.TipoCambioP is None or ctx.comprobante.Confirmacion is not None:
        return None
    limits = published_limits(ctx, pago.MonedaP, local_date(pago.FechaPago) or ctx.on)
    if limits is None or isinstance(limits, Indeterminate) or limits.lower <= pago.tipo_cambio <= limits.upper:
        return limits if isinstance(limits, Indeterminate) else None
    return Violation(found=pago.TipoCambioP, expected=f"{limits}, o una Confirmacion")


def unusual_amount_is_confirmed(pago: BasePago, ctx: EvaluationContext) -> RuleResult:
    """Check that an amount above the maximum of type P has a Confirmacion."""
    row = ctx.row("c_TipoDeComprobante", "P")
    if row is None or ctx.comprobante.Confirmacion is not None:
        return None
    maximum = Decimal(row["valor_maximo"])
    if pago.monto * pago.tipo_cambio <= maximum:
        return None
    return Violation(found=pago.Monto, expected=f"a lo más {maximum:f} pesos, o una Confirmacion")


def is_positive(text: str | None, amount: Decimal) -> RuleResult:
    """Check that an amount is greater than zero."""
    return None if amount > 0 else Violation(found=text, expected="mayor que cero")
