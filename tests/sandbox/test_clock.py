"""The movable fiscal clock."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import event
from tests.support.sandbox_support import NOON, new_database

from timbra.core.clock import FixedClock, to_central_mexico
from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.sandbox.clock import ClockControl
from timbra.sandbox.store.transactions import SandboxStore

WALL = FixedClock(NOON)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = new_database(tmp_path)
    yield opened
    opened.close()


def test_now_is_wall_time_until_the_clock_is_moved(database: Database) -> None:
    assert ClockControl(SandboxStore(database), WALL).now() == NOON


def test_set_freezes_the_clock(database: Database) -> None:
    control = ClockControl(SandboxStore(database), WALL)
    control.set("2026-12-24T20:00:00")
    later = ClockControl(SandboxStore(database), FixedClock(NOON + timedelta(hours=5)))
    assert to_central_mexico(control.now()) == to_central_mexico(later.now()) == "2026-12-24T20:00:00"


def test_set_with_running_lets_the_clock_run(database: Database) -> None:
    ClockControl(SandboxStore(database), WALL).set("2026-12-24T20:00:00", running=True)
    later = ClockControl(SandboxStore(database), FixedClock(NOON + timedelta(hours=5)))
    assert to_central_mexico(later.now()) == "2026-12-25T01:00:00"


def test_advance_moves_a_frozen_and_a_running_clock(database: Database) -> None:
    control = ClockControl(SandboxStore(database), WALL)
    assert control.advance("72h") == control.now() == NOON + timedelta(hours=72)
    control.advance("-1d")
    assert control.now() == NOON + timedelta(hours=48)
    control.set("2026-12-24T20:00:00")
    control.advance("1d12h")
    assert to_central_mexico(control.now()) == "2026-12-26T08:00:00"


def test_reset_returns_to_wall_time(database: Database) -> None:
    control = ClockControl(SandboxStore(database), WALL, "2026-12-24T20:00:00")
    control.reset()
    assert control.now() == NOON
    assert ClockControl(SandboxStore(database), WALL, "2026-12-24T20:00:00").now() == NOON


@pytest.mark.parametrize(
    ("initial", "expected"), [("2026-12-24T20:00:00", "2026-12-24T20:00:00"), ("-72h", "2026-11-14T12:00:00")]
)
def test_initial_time_is_used_only_while_nothing_is_stored(database: Database, initial: str, expected: str) -> None:
    assert to_central_mexico(ClockControl(SandboxStore(database), WALL, initial).now()) == expected
    assert to_central_mexico(ClockControl(SandboxStore(database), WALL, "2030-01-01").now()) == expected


def test_now_reads_a_change_of_another_process_after_a_poll(tmp_path: Path, database: Database) -> None:
    other = new_database(tmp_path)
    watching = ClockControl(SandboxStore(other), WALL)
    assert watching.now() == NOON
    ClockControl(SandboxStore(database), WALL).set("2026-12-24T20:00:00")
    statements: list[str] = []
    event.listen(other.engine, "before_cursor_execute", lambda *arguments: statements.append(arguments[2]))
    assert watching.now() == NOON
    assert statements == []
    other.poll()
    assert to_central_mexico(watching.now()) == "2026-12-24T20:00:00"
    other.close()


@pytest.mark.parametrize("text", ["tomorrow", "2051-01-01", "72h"])
def test_set_rejects_an_invalid_instant(database: Database, text: str) -> None:
    control = ClockControl(SandboxStore(database), WALL)
    with pytest.raises(ServiceError, match="time-invalid"):
        control.set(text)
    assert control.now() == NOON


@pytest.mark.parametrize("text", ["9000w", "999999999d", "soon"])
def test_advance_rejects_a_step_out_of_bounds(database: Database, text: str) -> None:
    control = ClockControl(SandboxStore(database), WALL)
    with pytest.raises(ServiceError, match="time-invalid"):
        control.advance(text)
    assert control.now() == NOON
