"""Form, currency and amounts of a payment."""

from __future__ import annotations

from decimal import Decimal
from operator import attrgetter
from typing import Any, Final

from timbra.cfdi.nodes.pago import BasePago
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.instants import local_date
from timbra.rules.engine.result import Indeterminate, RuleResult, Violation
from timbra.rules.shared.exchange_rates import published_limits
from timbra.rules.shared.predicates import Predicate

PESOS, NO_CURRENCY = "MXN", "XXX"
TO_BE_DEFINED: Final = "99"


def has_defined_form(pago: BasePago, _ctx: EvaluationContext) -> RuleResult:
    """FormaDePagoP is not 99."""
    if pago.FormaDePagoP != TO_BE_DEFINED:
        return None
    return Violation(found=TO_BE_DEFINED, expected="una forma de pago distinta de 99")


def is_a_currency(name: str) -> Predicate:
    """The currency is not XXX.

    Args:
        name: name of the attribute with the currency.
    """
    read = attrgetter(name)
    violation = Violation(found=NO_CURRENCY, expected="una moneda distinta de XXX")
    return lambda node, _ctx: violation if read(node) == NO_CURRENCY else None


def has_rate_of_foreign_currency(pago: BasePago, _ctx: EvaluationContext) -> RuleResult:
    """TipoCambioP is present with a currency other than MXN."""
    if pago.MonedaP == PESOS or pago.TipoCambioP is not None:
        return None
    return Violation(expected=f"el tipo de cambio de {pago.MonedaP}")


def has_usual_or_confirmed_rate(pago: BasePago, ctx: EvaluationContext) -> RuleResult:
    """TipoCambioP is within the limits around the rate published for the day of the payment, or is confirmed."""
    if pago.MonedaP in (PESOS, NO_CURRENCY) or pago.TipoCambioP is None or ctx.comprobante.Confirmacion is not None:
        return None
    limits = published_limits(ctx, pago.MonedaP, local_date(pago.FechaPago) or ctx.issued)
    if limits is None or isinstance(limits, Indeterminate) or limits.lower <= pago.tipo_cambio <= limits.upper:
        return limits if isinstance(limits, Indeterminate) else None
    return Violation(found=pago.TipoCambioP, expected=f"{limits}, o una Confirmacion")


def has_usual_or_confirmed_amount(pago: BasePago, ctx: EvaluationContext) -> RuleResult:
    """Monto in pesos is at most the maximum of type P, or is confirmed."""
    row = ctx.row("c_TipoDeComprobante", "P")
    if row is None or ctx.comprobante.Confirmacion is not None:
        return None
    maximum = Decimal(row["valor_maximo"])
    if pago.monto * pago.tipo_cambio <= maximum:
        return None
    return Violation(found=pago.Monto, expected=f"a lo más {maximum:f} pesos, o una Confirmacion")


def is_positive(name: str, number: str) -> Predicate:
    """The amount, when present, is greater than zero.

    Args:
        name: name of the attribute.
        number: name of the attribute's value as a number.
    """
    read, value = attrgetter(name), attrgetter(number)

    def check(node: Any, _ctx: EvaluationContext) -> RuleResult:
        text = read(node)
        return None if text is None or value(node) > 0 else Violation(found=text, expected="mayor que cero")

    return check
