"""Decimal arithmetic: precision, written decimals and rounding."""

from __future__ import annotations

from decimal import Decimal, Inexact

import pytest

from timbra.core.money import EXACT, UNITS, half_up, parse, round_up, truncate, written_decimals


def test_exact_raises_inexact_beyond_100_digits() -> None:
    longest = Decimal("1" * 100)
    assert EXACT.plus(longest) == longest
    with pytest.raises(Inexact):
        EXACT.plus(Decimal("1" * 101))


def test_units_have_up_to_63_decimals() -> None:
    assert len(UNITS) == 64
    assert (UNITS[0], UNITS[63]) == (Decimal(1), Decimal("1E-63"))


@pytest.mark.parametrize(("text", "decimals"), [("5", 0), ("5.", 0), (".5", 1), ("0.5", 1), ("12.3400", 4)])
def test_written_decimals_counts_digits_after_the_point(text: str, decimals: int) -> None:
    assert written_decimals(text) == decimals


@pytest.mark.parametrize("decimals", [-1, 0, 63, 64, 70])
def test_half_up_rounds_to_any_number_of_decimals(decimals: int) -> None:
    unit = Decimal(1).scaleb(-decimals)
    assert half_up(unit * Decimal("2.5"), decimals) == 3 * unit
    assert truncate(unit * Decimal("2.9"), decimals) == 2 * unit
    assert round_up(unit * Decimal("2.1"), decimals) == 3 * unit
    assert half_up(unit, decimals).as_tuple().exponent == -decimals


def test_parse_reads_decimal_numbers_in_ascii_digits_only() -> None:
    assert [parse(text) for text in ("1.50", "-.5", "+7")] == [Decimal("1.50"), Decimal("-0.5"), Decimal(7)]
    assert [parse(text) for text in ("1e5", " 1", "1\n", "\u0663", "NaN", "")] == [None] * 6
