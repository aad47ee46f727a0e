"""Rules that revision B changed by date; later revisions do not apply to CFDI 3.3."""

from __future__ import annotations

import pytest
from tests.support.rules import checked, codes, unknown

from timbra.examples import nomina33
from timbra.examples.nomina12 import employed, other, payroll, subsidy


def subsidized(due: str, paid: str = "0.00", days: str = "1", fecha: str = "2022-11-17T12:00:00") -> set[str]:
    """Return the codes of subsidies that the payroll violates."""
    node = employed(None, {"@NumDiasPagados": days}, others=[other("002", paid, subsidy(due))])
    return codes(nomina33(payrolls=[node], fecha=fecha)) & {"NOM221", "NOM228", "NOM229"}


@pytest.mark.parametrize(
    ("due", "days", "rejected"),
    [
        ("407.02", "31", set()),
        ("407.03", "31", {"NOM221"}),
        ("428.48", "32", set()),
        ("428.49", "32", {"NOM229"}),
    ],
)
def test_nom221_and_nom229_limit_subsidies(due: str, days: str, rejected: set[str]) -> None:
    assert subsidized(due, days=days) == rejected


def test_nom221_ignores_limits_of_later_years() -> None:
    assert subsidized("475.00", fecha="2025-11-17T12:00:00") == {"NOM221"}


@pytest.mark.parametrize(("fecha", "rejected"), [("2019-12-31T12:00:00", set()), ("2020-01-01T12:00:00", {"NOM228"})])
def test_nom228_limits_the_paid_subsidy_since_2020(fecha: str, rejected: set[str]) -> None:
    assert subsidized("10.00", "20.00", fecha=fecha) == rejected


@pytest.mark.parametrize(("fecha", "rejected"), [("2019-12-31T12:00:00", set()), ("2020-01-01T12:00:00", {"NOM226"})])
def test_nom226_requires_a_subsidy_since_2020(fecha: str, rejected: set[str]) -> None:
    assert codes(nomina33(payrolls=[employed(others=[])], fecha=fecha)) & {"NOM226"} == rejected


def test_nom227_forbids_subsidies_for_others() -> None:
    node = payroll(others=[other("002", "0.00", subsidy("0.00"))])
    assert codes(nomina33(payrolls=[node])) == {"NOM227"}


def test_rules_on_registration_are_not_evaluated_without_lists() -> None:
    found = unknown(nomina33(), taxpayers=None, coordinated=None)
    assert {"NOM138", "NOM165"} <= found
    assert "NOM166" not in found


def test_findings_belong_to_the_rule_set_of_revision_b() -> None:
    outcome = checked(nomina33({"@Moneda": "USD", "@TipoCambio": "20"}))
    assert {finding.rule_set for finding in outcome.findings} == {"nomina12b"}
