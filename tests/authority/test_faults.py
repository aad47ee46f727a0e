"""Fault injection on demand."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import event
from tests.authority.sandbox_support import new_database

from timbra.authority.sandbox.controls.faults import FAULTS, Fault, Faults
from timbra.errors import ServiceError
from timbra.store.database.database import Database
from timbra.store.sandbox.transactions import SandboxStore


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = new_database(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def faults(database: Database) -> Faults:
    return Faults(SandboxStore(database))


def test_take_sends_no_query_when_no_fault_is_active(database: Database, faults: Faults) -> None:
    assert faults.active() == []
    statements: list[str] = []
    event.listen(database.engine, "before_cursor_execute", lambda *arguments: statements.append(arguments[2]))
    assert [faults.take(name) for name in FAULTS] == [None] * 4
    assert statements == []


def test_take_returns_a_fault_until_it_is_cleared(faults: Faults) -> None:
    faults.set("authority-down")
    assert [faults.take("authority-down") for _ in range(3)] == [Fault("authority-down")] * 3
    assert faults.take("answer-lost") is None
    faults.clear("authority-down")
    assert faults.take("authority-down") is None


def test_take_counts_down_a_fault_with_times(faults: Faults) -> None:
    faults.set("answer-lost", times=2)
    taken = [faults.take("answer-lost") for _ in range(4)]
    assert [fault is not None for fault in taken] == [True, True, False, False]
    assert faults.active() == []


def test_take_shares_the_count_between_workers(tmp_path: Path, faults: Faults) -> None:
    faults.set("answer-lost", times=7)

    def work(_: int) -> int:
        database = new_database(tmp_path)
        own = Faults(SandboxStore(database))
        taken = sum(own.take("answer-lost") is not None for _ in range(5))
        database.close()
        return taken

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(work, range(4))) == 7


def test_set_replaces_an_earlier_fault(faults: Faults) -> None:
    faults.set("latency", times=1, seconds=0.5)
    faults.set("latency", seconds=2)
    assert faults.active() == [Fault("latency", None, 2.0)]
    assert faults.set("latency").seconds == 3.0


def test_clear_removes_all_faults(faults: Faults) -> None:
    for name in FAULTS:
        faults.set(name)
    assert [fault.name for fault in faults.active()] == sorted(FAULTS)
    faults.clear()
    assert faults.active() == []


@pytest.mark.parametrize(
    ("name", "times", "seconds"),
    [
        ("thunder", None, None),
        ("latency", 0, None),
        ("latency", None, 0),
        ("latency", None, 601),
        ("latency", None, float("nan")),
        ("list-late", None, 1),
    ],
)
def test_set_rejects_invalid_arguments(faults: Faults, name: str, times: int | None, seconds: float | None) -> None:
    with pytest.raises(ServiceError, match="fault-invalid"):
        faults.set(name, times, seconds)
    assert faults.active() == []


def test_clear_rejects_an_unknown_fault(faults: Faults) -> None:
    with pytest.raises(ServiceError, match="fault-invalid"):
        faults.clear("thunder")
