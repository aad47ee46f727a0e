"""A row of l_RFC as rules use it."""

from __future__ import annotations

import pytest

from timbra.rules.engine.context import Registration
from timbra.rules.engine.ports import Taxpayer

ROW = Taxpayer("EKU9003173C9", "ESCUELA KEMPER URGATE", "42501", frozenset({"603", "601"}))
EMPTY = Taxpayer("EKU9003173C9", "", "", frozenset())


def disclosed(row: Taxpayer) -> Registration:
    return Registration(row, lambda value: value)


def hidden(row: Taxpayer) -> Registration:
    return Registration(row, lambda _value: "")


def test_registration_compares_each_value() -> None:
    row = hidden(ROW)
    assert (row.has_name(ROW.name), row.has_name("OTRA")) == (True, False)
    assert (row.has_postal_code("42501"), row.has_postal_code("01000")) == (True, False)
    assert (row.has_regime("601"), row.has_regime("612")) == (True, False)


def test_registration_equals_every_value_that_the_list_does_not_have() -> None:
    row = disclosed(EMPTY)
    assert row.has_name("OTRA")
    assert row.has_postal_code("01000")
    assert row.has_regime("612")


@pytest.mark.parametrize(("row", "code", "expected"), [(ROW, "42501", True), (ROW, "01000", False), (EMPTY, "", True)])
def test_is_at_compares_the_postal_code_exactly(row: Taxpayer, code: str, expected: bool) -> None:
    assert disclosed(row).is_at(code) is expected
    assert not disclosed(EMPTY).is_at("42501")


def test_disclosed_values_are_those_of_the_row() -> None:
    row = disclosed(ROW)
    assert (row.disclosed_name, row.disclosed_postal_code) == ("ESCUELA KEMPER URGATE", "42501")
    assert row.disclosed_regimes == "601, 603"


def test_disclosed_values_are_empty_when_findings_may_not_contain_them() -> None:
    row = hidden(ROW)
    assert (row.disclosed_name, row.disclosed_postal_code, row.disclosed_regimes) == ("", "", "")


def test_name_hint_compares_with_the_registered_name() -> None:
    assert "mayúsculas" in (hidden(ROW).name_hint("Escuela Kemper Urgate") or "")
    assert hidden(ROW).name_hint("OTRA") is None
