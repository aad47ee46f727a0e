"""Amounts of Conceptos in dollars: the limits of CCE157.

The lower limit is truncated, the upper one is rounded up, both at two decimals. Both exchange rates may differ by half
of the last unit of TipoCambio as written; the rate 1 of the peso has no decimals.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.comercioexterior20 import Mercancia
from timbra.cfdi.nodes.complement import factor
from timbra.core.money import round_up, truncate
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.rulesets.comercioexterior20.goods import Goods
from timbra.rules.shared.amounts import EPSILON, AmountLimits, Factor

DECIMALS: Final = 2
PESO, DOLLAR = "MXN", "USD"
ONE: Final = Factor("1", Decimal(1))


def value_limits(ctx: EvaluationContext, mercancia: Mercancia) -> tuple[AmountLimits, ...]:
    """Return the limits of the sum of Importe of the Conceptos of a Mercancia in dollars.

    Returns:
        The accepted limits; empty without a Concepto or without an exchange rate.
    """
    numbered = ctx.memoize(Goods).of(mercancia)
    return _limits(ctx, mercancia, numbered.importe()) if numbered.conceptos else ()


def discount_limits(ctx: EvaluationContext, mercancia: Mercancia) -> tuple[AmountLimits, ...]:
    """As `value_limits`, for the sum of Descuento."""
    numbered = ctx.memoize(Goods).of(mercancia)
    return _limits(ctx, mercancia, numbered.descuento()) if numbered.conceptos else ()


def _limits(ctx: EvaluationContext, mercancia: Mercancia, amount: Factor) -> tuple[AmountLimits, ...]:
    """Return the limits of an amount in dollars; an amount invoiced in dollars may also be used without conversion.

    The document and the complement each state an exchange rate of the dollar; documents whose rates differ are stamped.
    """
    comprobante, text = ctx.comprobante, ctx.memoize(Goods).head(mercancia).TipoCambioUSD
    own = Factor(comprobante.TipoCambio or "", factor(comprobante.TipoCambio))
    if comprobante.Moneda == PESO:
        own = Factor(comprobante.TipoCambio or "1", ONE.value)
    limits = converted(amount, own, factor(text))
    if limits is None:
        return ()
    return (limits, *_unconverted(amount)) if comprobante.Moneda == DOLLAR else (limits,)


def _unconverted(amount: Factor) -> tuple[AmountLimits]:
    return (AmountLimits(truncate(amount.value - amount.half, DECIMALS), round_up(_top(amount), DECIMALS)),)


def converted(amount: Factor, rate: Factor, dollar: Decimal) -> AmountLimits | None:
    """Return the limits of an amount in dollars, None without exchange rates.

    Args:
        amount: amount in its currency.
        rate: pesos per unit of its currency.
        dollar: pesos per dollar.
    """
    lowest, highest = dollar - rate.half, dollar + rate.half - EPSILON
    if lowest <= 0 or rate.value <= rate.half:
        return None
    if not amount.value:
        return AmountLimits(ZERO, ZERO)
    lower = (amount.value - amount.half) * (rate.value - rate.half) / highest
    return AmountLimits(truncate(lower, DECIMALS), round_up(_top(amount) * _top(rate) / lowest, DECIMALS))


def _top(number: Factor) -> Decimal:
    return number.value + number.half - EPSILON
