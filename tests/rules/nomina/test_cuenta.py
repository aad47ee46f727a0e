"""The check digit of a CLABE."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.rules.shared.nomina.partes import check_digit


@pytest.mark.parametrize("clabe", ["072320002084170154", "002010077777777771", "032180000118359719"])
def test_check_digit_matches_public_accounts(clabe: str) -> None:
    assert check_digit(clabe) == clabe[-1]


@given(st.from_regex(r"[0-9]{17}", fullmatch=True), st.integers(0, 16), st.integers(1, 9))
def test_check_digit_detects_a_wrong_digit(digits: str, place: int, more: int) -> None:
    wrong = f"{digits[:place]}{(int(digits[place]) + more) % 10}{digits[place + 1 :]}"
    assert check_digit(wrong) != check_digit(digits)
