"""Look-up of codes as users write them, and suggestions."""

from __future__ import annotations

import pytest

from timbra.rules.reference.codes import MAX_SUGGESTIONS, all_codes, codes_of_digits, find_code, is_code, suggestions


def test_find_code_finds_every_code_as_it_is_written() -> None:
    assert [code for code in all_codes() if find_code(code) != code] == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("cfdi40147", "CFDI40147"),
        (" cfdi 40147 ", "CFDI40147"),
        ("CFDI-40147", "CFDI40147"),
        ("NOM01", "NOM1"),
        ("CFDI40226", "CFDI140226"),
        ("CFDI140226", "CFDI140226"),
        ("tb6013", "TFD-SELLO-CFD"),
        ("TB6001", "SIN-TIMBRE"),
        ("n-601", "N - 601"),
        ("csd missing", "csd-missing"),
        ("cfdi40999:pagos-required", "CFDI40999:Pagos-required"),
    ],
)
def test_find_code_accepts_case_separators_and_leading_zeros(text: str, code: str) -> None:
    assert find_code(text) == code


@pytest.mark.parametrize("text", ["", "40147", "CFDI99999", "redondeo", "9" * 5000, "\0", "٤٠١"])
def test_find_code_returns_none_for_an_unknown_code(text: str) -> None:
    assert find_code(text) is None


@pytest.mark.parametrize(("text", "codes"), [("40147", ["CFDI40147"]), ("40226", ["CFDI140226"]), ("CFDI40147", [])])
def test_codes_of_digits_returns_the_codes_with_the_number(text: str, codes: list[str]) -> None:
    assert codes_of_digits(text) == codes


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("CFDI4147", "CFDI40147"),
        ("CDFI40147", "CFDI40147"),
        ("4147", "CFDI40147"),
        ("FCDI-40147", "CFDI40147"),
        ("acount-unknown", "account-unknown"),
        ("CRP2O201", "CRP20201"),
    ],
)
def test_suggestions_begin_with_the_nearest_code(text: str, code: str) -> None:
    assert suggestions(text)[0] == code


def test_suggestions_include_codes_that_are_equally_near() -> None:
    assert {"CFDI40147", "CFDI40177"} <= set(suggestions("CFDI401477"))


def test_suggestions_lists_all_codes_of_an_ambiguous_number() -> None:
    assert set(suggestions("213")) == {"CRP213", "NOM213"}


@pytest.mark.parametrize("text", ["", "x" * 100_000, "9" * 100_000, "zzzz", "\0"])
def test_suggestions_are_bounded_for_any_text(text: str) -> None:
    assert len(suggestions(text)) <= MAX_SUGGESTIONS


@pytest.mark.parametrize(
    ("text", "expected"), [("CFDI40147", True), ("999999", True), ("redondeo", False), ("@TipoCambio", False)]
)
def test_is_code_requires_digits(text: str, expected: bool) -> None:
    assert is_code(text) is expected
