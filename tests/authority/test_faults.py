"""Faults on demand."""

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


def test_nothing_is_on_at_first_and_asking_costs_no_query(database: Database, faults: Faults) -> None:
    assert faults.active() == []
    statements: list[str] = []
    event.listen(database.engine, "before_cursor_execute", lambda *arguments: statements.append(arguments[2]))
    assert [faults.take(name) for name in FAULTS] == [None] * 4
    assert statements == []


def test_a_fault_stays_until_it_is_cleared(faults: Faults) -> None:
    faults.set("authority-down")
    assert [faults.take("authority-down") for _ in range(3)] == [Fault("authority-down")] * 3
    assert faults.take("answer-lost") is None
    faults.clear("authority-down")
    assert faults.take("authority-down") is None


def test_a_counted_fault_meets_that_many_requests(faults: Faults) -> None:
    faults.set("answer-lost", times=2)
    taken = [faults.take("answer-lost") for _ in range(4)]
    assert [fault is not None for fault in taken] == [True, True, False, False]
    assert faults.active() == []


def test_workers_share_the_count(tmp_path: Path, faults: Faults) -> None:
    faults.set("answer-lost", times=7)

    def work(_: int) -> int:
        database = new_database(tmp_path)
        own = Faults(SandboxStore(database))
        taken = sum(own.take("answer-lost") is not None for _ in range(5))
        database.close()
        return taken

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(work, range(4))) == 7


def test_a_later_order_replaces_an_earlier_one(faults: Faults) -> None:
    faults.set("latency", times=1, seconds=0.5)
    faults.set("latency", seconds=2)
    assert faults.active() == [Fault("latency", None, 2.0)]
    assert faults.set("latency").seconds == 3.0


def test_all_are_cleared_at_once(faults: Faults) -> None:
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
def test_wrong_orders_are_rejected(faults: Faults, name: str, times: int | None, seconds: float | None) -> None:
    with pytest.raises(ServiceError, match="fault-invalid"):
        faults.set(name, times, seconds)
    assert faults.active() == []


def test_an_unknown_fault_cannot_be_cleared(faults: Faults) -> None:
    with pytest.raises(ServiceError, match="fault-invalid"):
        faults.clear("thunder")
