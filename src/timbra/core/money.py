"""Decimal arithmetic as the SAT defines it: exact, rounded half up, with the decimals that the document has."""

from __future__ import annotations

import re
from decimal import ROUND_DOWN, ROUND_HALF_UP, ROUND_UP, Context, Decimal, Inexact

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)\Z")
EXACT = Context(prec=100, traps=[Inexact])
_WIDE = Context(prec=100)
UNITS = tuple(Decimal(1).scaleb(-decimals) for decimals in range(64))
"""`UNITS[n]` is 10^-n, the last unit of an amount with n decimals."""
_UNIT_COUNT = len(UNITS)


def parse(text: str) -> Decimal | None:
    """Parse a decimal number in ASCII digits; None for other text, such as an exponent or white space."""
    return Decimal(text) if _NUMBER.match(text) and text.isascii() else None


def written_decimals(text: str) -> int:
    """Count the decimals of a number in text; trailing zeros count."""
    point = text.find(".")
    return len(text) - point - 1 if point >= 0 else 0


def _unit(decimals: int) -> Decimal:
    return Decimal(1).scaleb(-decimals)


def half_up(value: Decimal, decimals: int) -> Decimal:
    """Round to `decimals`, halves away from zero."""
    unit = UNITS[decimals] if 0 <= decimals < _UNIT_COUNT else _unit(decimals)
    return value.quantize(unit, ROUND_HALF_UP, _WIDE)


def truncate(value: Decimal, decimals: int) -> Decimal:
    unit = UNITS[decimals] if 0 <= decimals < _UNIT_COUNT else _unit(decimals)
    return value.quantize(unit, ROUND_DOWN, _WIDE)


def round_up(value: Decimal, decimals: int) -> Decimal:
    """Round to `decimals`, away from zero."""
    unit = UNITS[decimals] if 0 <= decimals < _UNIT_COUNT else _unit(decimals)
    return value.quantize(unit, ROUND_UP, _WIDE)


def half_unit(decimals: int) -> Decimal:
    """Return half of the last unit: 10^-decimals / 2."""
    return Decimal(5).scaleb(-decimals - 1)
