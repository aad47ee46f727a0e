"""SAT's limits of an amount that is a product of written numbers; shared by all books.

A written number stands for every number that rounds to it, so a product lies between two limits: the lower one is cut,
the upper one is rounded up, both at the decimals that the amount writes.
"""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from timbra.money import UNITS, half_unit, round_up, truncate, written_decimals

EPSILON = Decimal("1E-12")
_MOST = len(UNITS)
_HALVES = tuple(half_unit(decimals) for decimals in range(_MOST))


class Factor(NamedTuple):
    """A number as written."""

    text: str
    value: Decimal

    @property
    def half(self) -> Decimal:
        """Half of its last written unit."""
        return _HALVES[self.decimals]

    @property
    def decimals(self) -> int:
        """How many it writes; beyond 63, which no schema allows, 63."""
        return min(written_decimals(self.text), _MOST - 1)


class AmountLimits(NamedTuple):
    """The smallest and the largest amount, both included."""

    lower: Decimal
    upper: Decimal

    def __str__(self) -> str:
        return f"entre {self.lower:f} y {self.upper:f}"


def is_near(product: Decimal, amount: Decimal, text: str) -> bool:
    """Whether the amount, written as `text`, is the exact product or next to it: then it lies between all limits."""
    difference = product - amount
    return not difference or abs(difference) < UNITS[min(written_decimals(text), _MOST - 1)]


def product_holds(quantity: Factor, price: Factor, amount: Factor) -> bool:
    """Whether lower <= amount <= upper, for the limits of `product_limits`, without rounding anything.

    Cutting x at a unit stays below the amount exactly when x < amount + unit; rounding up reaches it exactly when
    x > amount - unit: the amount is a multiple of that unit.
    """
    unit = UNITS[amount.decimals]
    half_quantity, half_price = quantity.half, price.half
    return (quantity.value - half_quantity) * (price.value - half_price) < amount.value + unit and (
        quantity.value + half_quantity - EPSILON
    ) * (price.value + half_price - EPSILON) > amount.value - unit


def product_limits(quantity: Factor, price: Factor, decimals: int) -> AmountLimits:
    """Limits of Cantidad * ValorUnitario at so many decimals."""
    lower = (quantity.value - quantity.half) * (price.value - price.half)
    upper = (quantity.value + quantity.half - EPSILON) * (price.value + price.half - EPSILON)
    return AmountLimits(truncate(lower, decimals), round_up(upper, decimals))


def tax_holds(base: Factor, rate: Decimal, amount: Factor) -> bool:
    """Whether lower <= amount <= upper, for the limits of `tax_limits`, without rounding anything."""
    unit = UNITS[amount.decimals]
    half = base.half
    return (base.value - half) * rate < amount.value + unit and (
        base.value + half - EPSILON
    ) * rate > amount.value - unit


def tax_limits(base: Factor, rate: Decimal, decimals: int) -> AmountLimits:
    """Limits of Base * TasaOCuota at so many decimals."""
    return AmountLimits(
        truncate((base.value - base.half) * rate, decimals),
        round_up((base.value + base.half - EPSILON) * rate, decimals),
    )
