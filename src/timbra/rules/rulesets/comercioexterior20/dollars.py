"""What Conceptos are worth in dollars: the limits of CCE157, of which every written number has its share.

The lower limit is cut, the upper one rounded up, both at two decimals. Both rates are uncertain by half of the last
unit that TipoCambio writes; the 1 of a peso writes no decimals.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.comercioexterior20 import Mercancia
from timbra.cfdi.nodes.complement import factor
from timbra.money import round_up, truncate
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.rulesets.comercioexterior20.goods import Goods
from timbra.rules.shared.amounts import EPSILON, AmountLimits, Factor

DECIMALS: Final = 2
PESO, DOLLAR = "MXN", "USD"
ONE: Final = Factor("1", Decimal(1))


def worth(ctx: EvaluationContext, mercancia: Mercancia) -> tuple[AmountLimits, ...]:
    """Of the sum of Importe of its Conceptos; none where there is no Concepto or no rate."""
    numbered = ctx.memoize(Goods).of(mercancia)
    return _limits(ctx, mercancia, numbered.importe()) if numbered.conceptos else ()


def discounted(ctx: EvaluationContext, mercancia: Mercancia) -> tuple[AmountLimits, ...]:
    """As `worth`, of the sum of Descuento."""
    numbered = ctx.memoize(Goods).of(mercancia)
    return _limits(ctx, mercancia, numbered.descuento()) if numbered.conceptos else ()


def _limits(ctx: EvaluationContext, mercancia: Mercancia, amount: Factor) -> tuple[AmountLimits, ...]:
    """What is invoiced in dollars may also count as it is: the invoice and the complement name the dollar's rate each,
    and public documents whose rates differ are known to be stamped."""
    comprobante, text = ctx.comprobante, ctx.memoize(Goods).head(mercancia).TipoCambioUSD
    own = Factor(comprobante.TipoCambio or "", factor(comprobante.TipoCambio))
    if comprobante.Moneda == PESO:
        own = Factor(comprobante.TipoCambio or "1", ONE.value)
    limits = converted(amount, own, factor(text))
    if limits is None:
        return ()
    return (limits, *_same(amount)) if comprobante.Moneda == DOLLAR else (limits,)


def _same(amount: Factor) -> tuple[AmountLimits]:
    return (AmountLimits(truncate(amount.value - amount.half, DECIMALS), round_up(_top(amount), DECIMALS)),)


def converted(amount: Factor, rate: Factor, dollar: Decimal) -> AmountLimits | None:
    """Limits of an amount in dollars. rate: pesos for a unit of its currency; dollar: for one. None without them."""
    lowest, highest = dollar - rate.half, dollar + rate.half - EPSILON
    if lowest <= 0 or rate.value <= rate.half:
        return None
    if not amount.value:
        return AmountLimits(ZERO, ZERO)
    lower = (amount.value - amount.half) * (rate.value - rate.half) / highest
    return AmountLimits(truncate(lower, DECIMALS), round_up(_top(amount) * _top(rate) / lowest, DECIMALS))


def _top(number: Factor) -> Decimal:
    return number.value + number.half - EPSILON
