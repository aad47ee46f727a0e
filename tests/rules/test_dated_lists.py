"""Findings that rest on l_RFC or LCO: errors only when the list is of the document's own time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from tests.rules.seals.sealed import listed_world, sealed
from tests.support.rules import checked, nodes
from tests.support.world import NOW, world

from timbra.examples import ingreso, ingreso33
from timbra.examples.codes.example import Builder
from timbra.rules import seals
from timbra.rules.checking import check
from timbra.rules.dated_lists import weighed
from timbra.rules.finding import Need, Severity
from timbra.rules.profiles import VALIDATE
from timbra.rules.world import dated_lists

WRITTEN = datetime(2026, 11, 17, 18, 0, tzinfo=UTC)
"""The example's Fecha as an instant."""
HOURS = timedelta(hours=72)
SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("distance", "severity"),
    [
        (timedelta(), Severity.ERROR),
        (HOURS, Severity.ERROR),
        (-HOURS, Severity.ERROR),
        (HOURS + SECOND, Severity.WARNING),
        (-HOURS - SECOND, Severity.WARNING),
        (timedelta(days=3000), Severity.WARNING),
    ],
)
def test_a_list_proves_72_hours_to_both_sides(distance: timedelta, severity: Severity) -> None:
    dated = dated_lists(WRITTEN + distance, WRITTEN + distance)
    there = listed_world(obligations=None, number="30001000000500000000", dated=dated)
    outcome = weighed(seals.examine(sealed(world=there), seals.ISSUER["4.0"]), there, [WRITTEN])
    assert {finding.code: finding.severity for finding in outcome.findings} == {"402": severity, "305": severity}


def test_the_warning_names_the_list_and_its_date() -> None:
    there = world(dated=dated_lists(datetime(2026, 1, 2, 6, tzinfo=UTC), WRITTEN))
    stranger = checked(ingreso({"Receptor/@Rfc": "CACX7605101P8", "Receptor/@Nombre": "OTRA"}))
    outcome = weighed(stranger, there, [WRITTEN])
    assert {finding.severity for finding in outcome.findings if Need.TAXPAYERS in finding.rests_on} == {
        Severity.WARNING
    }
    assert "La l_RFC consultada es del 2026-01-02" in outcome.findings[0].detail


def test_what_the_document_proves_by_itself_stays_an_error() -> None:
    there = listed_world(dated=dated_lists(None, NOW - timedelta(days=900)))
    late = seals.examine(sealed({"@Fecha": "2031-01-01T00:00:00"}, world=there), seals.ISSUER["4.0"])
    assert {finding.code: finding.severity for finding in weighed(late, there, [WRITTEN]).findings} == {
        "305": Severity.ERROR
    }


def test_lists_without_a_date_are_of_every_time() -> None:
    there = listed_world(obligations=None)
    outcome = weighed(seals.examine(sealed(world=there), seals.ISSUER["4.0"]), there, [WRITTEN])
    assert [finding.severity for finding in outcome.findings] == [Severity.ERROR]


def test_what_rests_on_no_list_stays() -> None:
    there = world(dated=dated_lists(NOW - timedelta(days=900), NOW - timedelta(days=900)))
    outcome = weighed(checked(ingreso({"@FormaPago": "XX"})), there, [WRITTEN])
    assert {finding.severity for finding in outcome.findings} == {Severity.ERROR}


REGISTERED = {"Receptor/@ResidenciaFiscal": "USA", "Receptor/@NumRegIdTrib": "123456789"}


@pytest.mark.parametrize(("build", "family"), [(ingreso, "CFDI40"), (ingreso33, "CFDI33")])
def test_rules_that_ask_a_list_only_at_times_are_weighed_too(build: Builder, family: str) -> None:
    """Whoever is registered today may have lived abroad then; the generic RFC needs no list to tell."""
    there = world(dated=dated_lists(NOW - timedelta(days=900), None))
    outcome = weighed(check(nodes(build(REGISTERED)), there, VALIDATE), there, [WRITTEN])
    resting = {finding.code: finding.severity for finding in outcome.findings if "l_RFC" in finding.detail}
    assert set(resting.values()) == {Severity.WARNING}
    assert set(resting) == {f"{family}{number}" for number in ((151, 154) if family == "CFDI40" else (134, 137))}
    general = {**REGISTERED, "Receptor/@Rfc": "XAXX010101000"}
    findings = weighed(check(nodes(build(general)), there, VALIDATE), there, [WRITTEN]).findings
    assert {one.severity for one in findings if one.code in resting} == {Severity.ERROR}
