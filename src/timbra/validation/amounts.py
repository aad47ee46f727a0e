"""Amounts of tables as texts."""

from __future__ import annotations

from decimal import Decimal

MIN_DECIMALS = 2


def shortest_amount(amount: Decimal) -> str:
    """Return an amount without zeros after its cents: `1500.50`, `0.333333`.

    The text is exact; arithmetic of amounts of 38 digits is not.
    """
    whole, _, decimals = f"{amount:f}".partition(".")
    return f"{whole}.{decimals.rstrip('0').ljust(MIN_DECIMALS, '0')}"
