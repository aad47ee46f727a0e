"""Seniority of a worker: the calendar difference in every accepted way of counting."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.support.rules import codes

from timbra.cfdi.nodes.nomina12 import Nomina, ReceptorNomina
from timbra.examples import nomina
from timbra.examples.codes.example import at
from timbra.examples.nomina12 import employed
from timbra.rules.shared.nomina.fechas import (
    Duration,
    accepted_durations,
    between,
    between_with_borrowed_days,
    calendar_period_equals_employment,
    weeks_are_within_employment,
)

NAMESPACE = "{http://www.sat.gob.mx/nomina12}"

WORKER = ReceptorNomina.PATH
DAYS = st.dates(date(1950, 1, 1), date(2090, 12, 31))


def evaluated(first: str, last: str, text: str) -> tuple[bool, bool]:
    """Return whether the rules on weeks and on calendar periods are satisfied."""
    receptor = etree.Element(f"{NAMESPACE}Receptor", {"FechaInicioRelLaboral": first, "Antigüedad": text})
    whole = etree.Element(f"{NAMESPACE}Nomina", {"FechaFinalPago": last})
    worker, payroll = ReceptorNomina(receptor, (1, 0)), Nomina(whole, (1, 0))
    ctx: Any = SimpleNamespace(memoize=lambda _compute: SimpleNamespace(of=lambda _node: payroll))
    return weeks_are_within_employment(worker, ctx) is None, calendar_period_equals_employment(worker, ctx) is None


@given(DAYS, DAYS)
def test_between_returns_the_calendar_difference(one: date, other: date) -> None:
    first, end = sorted((one, other))
    duration = between(first, end)
    year, month = divmod(first.year * 12 + first.month - 1 + duration.months, 12)
    day = min(first.day, monthrange(year, month + 1)[1])
    assert date(year, month + 1, day) + timedelta(days=duration.days) == end
    assert 0 <= duration.days <= 30
    assert 0 <= between_with_borrowed_days(first, end).days <= 31


@given(DAYS, DAYS)
def test_accepted_durations_satisfy_the_rules(one: date, other: date) -> None:
    first, last = sorted((one, other))
    for duration in accepted_durations(first, last):
        if duration.months < 1200:
            assert evaluated(str(first), str(last), str(duration)) == (True, True)


@given(DAYS, DAYS, st.integers(3, 5))
def test_calendar_period_equals_employment_rejects_other_days(one: date, other: date, days: int) -> None:
    """The accepted ways of counting differ by at most three days, because of February."""
    first, last = sorted((one, other))
    wrong = between(first, last + timedelta(days=days + 2))
    if wrong.months < 1200:
        assert evaluated(str(first), str(last), str(wrong)) == (True, False)


@pytest.mark.parametrize(
    ("first", "last", "text", "holds"),
    [
        ("2020-01-01", "2026-11-17", "P6Y10M17D", True),
        ("2020-01-01", "2026-11-17", "P6Y10M16D", True),
        ("2020-01-01", "2026-11-17", "P6Y10M15D", False),
        ("2020-01-01", "2026-11-17", "P6Y10M18D", False),
        ("2026-11-17", "2026-11-17", "P1D", True),
        ("2026-11-17", "2026-11-17", "P0D", True),
        ("2026-01-31", "2026-02-28", "P1M0D", True),
        ("2026-01-31", "2026-02-28", "P28D", True),
        ("2024-02-29", "2025-02-28", "P1Y0D", True),
        ("2025-11-18", "2026-11-17", "P12M0D", True),
        ("2026-11-18", "2026-11-17", "P3D", True),
        ("2026-11-17", "nunca", "P3D", True),
    ],
)
def test_calendar_period_may_include_the_last_day(first: str, last: str, text: str, holds: bool) -> None:
    assert evaluated(first, last, text) == (True, holds)


@pytest.mark.parametrize(
    ("first", "weeks", "holds"),
    [("2026-11-11", 1, True), ("2026-11-12", 1, False), ("2026-11-04", 2, True), ("2020-01-01", 1, True)],
)
def test_nom54_counts_complete_weeks_with_the_last_day(first: str, weeks: int, holds: bool) -> None:
    changes = at(WORKER, FechaInicioRelLaboral=first, Antigüedad=f"P{weeks}W")
    assert codes(nomina(changes, payrolls=[employed()])) == (set() if holds else {"NOM54"})


def test_weeks_hold_accepts_zero_weeks_for_less_than_a_week() -> None:
    assert evaluated("2026-11-18", "2026-11-17", "P0W") == (True, True)
    assert evaluated("2026-11-18", "2026-11-17", "P1W") == (False, True)


def test_duration_text_omits_empty_units() -> None:
    assert [str(Duration(*each)) for each in ((0, 0), (1, 2), (12, 0), (25, 3))] == ["P0D", "P1M2D", "P1Y0D", "P2Y1M3D"]
