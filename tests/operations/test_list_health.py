"""Freshness of the lists and accuracy of the clock."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from timbra.core.clock import FixedClock
from timbra.lists.fetch.fetch_state import FetchRecord
from timbra.lists.health import ListHealth
from timbra.lists.list_store import ListEdition
from timbra.lists.sources.part_names import ListKind
from timbra.operations.clock_discipline import ClockDiscipline, ClockReading, read_clock

NOW = datetime(2026, 11, 22, 5, 59, tzinfo=UTC)  # 23:59 of 2026-11-21 in central Mexico


def edition(kind: ListKind, day: date) -> ListEdition:
    return ListEdition(kind, day, "", "", (), 1, 1, 0, 0, "", (), None, NOW, {})


def health(
    ages: dict[str, float], *editions: ListEdition, records: dict[ListKind, FetchRecord] | None = None
) -> ListHealth:
    return ListHealth(lambda: {one.kind: one for one in editions}, lambda: records or {}, ages, FixedClock(NOW))


def test_stale_names_missing_and_old_lists() -> None:
    found = health({"LCO": 48, "l_RFC": 48}, edition(ListKind.LCO, date(2026, 11, 19))).stale()
    assert found == [
        "La lista LCO es del 2026-11-19: hace 71 horas; el límite es 48.",
        "No se ha importado la lista l_RFC.",
    ]


def test_stale_accepts_the_list_of_yesterday_all_day() -> None:
    assert health({"LCO": 48}, edition(ListKind.LCO, date(2026, 11, 20))).stale() == []


@pytest.mark.parametrize(
    ("kind", "day", "is_named"),
    [
        (ListKind.LCO, date(2026, 11, 21), False),
        (ListKind.LCO, date(2026, 11, 22), True),
        (ListKind.LCO, date(2027, 11, 22), True),
        (ListKind.EXCHANGE_RATES, date(2026, 11, 28), False),
        (ListKind.EXCHANGE_RATES, date(2026, 11, 29), True),
    ],
)
def test_stale_names_a_list_of_a_future_day(kind: ListKind, day: date, is_named: bool) -> None:
    expected = [f"La lista {kind} es del {day}, un día que aún no llega."] if is_named else []
    assert health({str(kind): 48}, edition(kind, day)).stale() == expected


def test_stale_ignores_lists_that_are_not_needed() -> None:
    assert health({}, edition(ListKind.LCO, date(2020, 1, 1))).stale() == []


def test_failures_name_the_list_and_the_code() -> None:
    record = FetchRecord(NOW, code="list-signature", failing_since=NOW)
    assert health({}, records={ListKind.LCO: record, ListKind.LRFC: FetchRecord(NOW)}).failures() == [
        "La lista LCO no se pudo actualizar desde 2026-11-22T05:59:00Z: list-signature."
    ]


@pytest.mark.parametrize(
    ("reading", "problem"),
    [
        (ClockReading(True, 0.001, 0.2), None),
        (ClockReading(True, -6.0, 0.2), "6.0 s"),
        (ClockReading(True, 0.0, 7.5), "7.5 s"),
        (ClockReading(False, 0.0, 0.1), "no está sincronizado"),
        (None, None),
    ],
)
def test_clock_problem_compares_the_larger_error(reading: ClockReading | None, problem: str | None) -> None:
    found = ClockDiscipline(lambda: reading, 5).problem()
    assert found is None if problem is None else problem in (found or "")


def test_read_clock_returns_the_error_of_the_kernel() -> None:
    reading = read_clock()
    assert reading is None or (abs(reading.offset) < 60 and 0 <= reading.max_error <= 3600)
