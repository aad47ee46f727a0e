"""What Conceptos are worth in dollars: the limits of CCE157, of which every written number has its share.

A rate is uncertain by half of its last written unit, a peso is worth one peso exactly. The lower limit is cut, the
upper one rounded up, both at two decimals.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.comercioexterior20 import Mercancia
from timbra.cfdi.nodes.complement import factor
from timbra.money import round_up, truncate
from timbra.rules.amounts import EPSILON, Factor, Limits
from timbra.rules.case import Case
from timbra.rules.comercioexterior20.goods import Goods

DECIMALS: Final = 2
PESO: Final = "MXN"
ONE: Final = Decimal(1)


def worth(case: Case, mercancia: Mercancia) -> Limits | None:
    """Of the sum of Importe of its Conceptos; None where there is no Concepto or no rate."""
    numbered = case.once(Goods).of(mercancia)
    return _limits(case, mercancia, numbered.importe()) if numbered.conceptos else None


def discounted(case: Case, mercancia: Mercancia) -> Limits | None:
    """As `worth`, of the sum of Descuento."""
    numbered = case.once(Goods).of(mercancia)
    return _limits(case, mercancia, numbered.descuento()) if numbered.conceptos else None


def _limits(case: Case, mercancia: Mercancia, amount: Factor) -> Limits | None:
    comprobante, text = case.comprobante, case.once(Goods).head(mercancia).TipoCambioUSD
    own = None if comprobante.Moneda == PESO else Factor(comprobante.TipoCambio or "", factor(comprobante.TipoCambio))
    return converted(amount, own, Factor(text, factor(text)))


def converted(amount: Factor, rate: Factor | None, dollar: Factor) -> Limits | None:
    """Limits of an amount in dollars. rate: pesos for a unit of its currency, None for pesos; None without a rate."""
    lower_rate, upper_rate = (ONE, ONE) if rate is None else (rate.value - rate.half, _top(rate))
    lowest = dollar.value - dollar.half
    if lowest <= 0 or lower_rate <= 0:
        return None
    if not amount.value:
        return Limits(ZERO, ZERO)
    lower = (amount.value - amount.half) * lower_rate / (dollar.value + dollar.half - EPSILON)
    return Limits(truncate(lower, DECIMALS), round_up(_top(amount) * upper_rate / lowest, DECIMALS))


def _top(number: Factor) -> Decimal:
    return number.value + number.half - EPSILON
