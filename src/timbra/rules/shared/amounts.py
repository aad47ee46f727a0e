"""The SAT's limits of an amount that is a product of written numbers.

A written number represents every number that rounds to it, so a product is between two limits: the lower one is
truncated, the upper one is rounded up, both at the decimals of the written amount.
"""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from timbra.core.money import UNITS, half_unit, round_up, truncate, written_decimals

EPSILON = Decimal("1E-12")
_UNIT_COUNT = len(UNITS)
_HALVES = tuple(half_unit(decimals) for decimals in range(_UNIT_COUNT))


class Factor(NamedTuple):
    """A number as written, with its value."""

    text: str
    value: Decimal

    @property
    def half(self) -> Decimal:
        """Half of its last written unit."""
        return _HALVES[self.decimals]

    @property
    def decimals(self) -> int:
        """Number of decimals as written; at most 63, which no schema exceeds."""
        return min(written_decimals(self.text), _UNIT_COUNT - 1)


class AmountLimits(NamedTuple):
    """The smallest and the largest amount allowed, both inclusive."""

    lower: Decimal
    upper: Decimal

    def __str__(self) -> str:
        return f"entre {self.lower:f} y {self.upper:f}"


def is_near(product: Decimal, amount: Decimal, text: str) -> bool:
    """Whether a written amount differs from the exact product by less than one unit of its last decimal.

    Such an amount is within all limits, so this is a quick check before them.

    Args:
        product: exact product.
        amount: the amount as a number.
        text: the amount as written.
    """
    difference = product - amount
    return not difference or is_below_unit(difference, text)


def is_below_unit(difference: Decimal, text: str) -> bool:
    """Whether a difference from a written amount is less than one unit of its last decimal."""
    point = text.find(".")
    unit = UNITS[min(len(text) - point - 1, _UNIT_COUNT - 1)] if point >= 0 else UNITS[0]
    return abs(difference) < unit


def is_within_product_limits(quantity: Factor, price: Factor, amount: Factor) -> bool:
    """Whether the amount is within the limits of Cantidad * ValorUnitario, computed without rounding.

    The truncation of x is at most the amount exactly when x < amount + unit; rounding x up reaches the amount exactly
    when x > amount - unit, because the amount is a multiple of that unit.
    """
    unit = UNITS[amount.decimals]
    half_quantity, half_price = quantity.half, price.half
    return (quantity.value - half_quantity) * (price.value - half_price) < amount.value + unit and (
        quantity.value + half_quantity - EPSILON
    ) * (price.value + half_price - EPSILON) > amount.value - unit


def product_limits(quantity: Factor, price: Factor, decimals: int) -> AmountLimits:
    """Return the limits of Cantidad * ValorUnitario at that number of decimals."""
    lower = (quantity.value - quantity.half) * (price.value - price.half)
    upper = (quantity.value + quantity.half - EPSILON) * (price.value + price.half - EPSILON)
    return AmountLimits(truncate(lower, decimals), round_up(upper, decimals))


def tax_holds(base: Factor, rate: Decimal, amount: Factor) -> bool:
    """Whether the amount is within `tax_limits`, computed without rounding."""
    unit = UNITS[amount.decimals]
    half = base.half
    return (base.value - half) * rate < amount.value + unit and (
        base.value + half - EPSILON
    ) * rate > amount.value - unit


def tax_limits(base: Factor, rate: Decimal, decimals: int) -> AmountLimits:
    """Return the limits of Base * TasaOCuota at that number of decimals."""
    return AmountLimits(
        truncate((base.value - base.half) * rate, decimals),
        round_up((base.value + base.half - EPSILON) * rate, decimals),
    )
