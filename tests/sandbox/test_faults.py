"""Fault injection on demand."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import event
from tests.support.sandbox_support import new_database

from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.sandbox.fault_selection import FaultCall, FaultDecisions, FaultSelection
from timbra.sandbox.faults import FAULTS, Fault, FaultName, Faults, make_fault
from timbra.sandbox.store.transactions import SandboxStore


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
    assert [faults.take(name) for name in FAULTS] == [None] * len(FAULTS)
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


def decisions(seed: int, probability: float = 0.3, user: str = "ana", number: int = 400) -> list[bool]:
    chosen, made = FaultSelection(probability, seed), FaultDecisions()
    return [made.affects("latency", chosen, FaultCall(user, "issue", "/a")) for _ in range(number)]


@pytest.mark.parametrize("probability", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("seed", [0, 1, 77, 2**53])
def test_decisions_follow_from_the_seed_with_the_probability(seed: int, probability: float) -> None:
    first = decisions(seed, probability)
    assert decisions(seed, probability) == first
    assert abs(sum(first) / len(first) - probability) < 0.1
    assert decisions(seed - 1 if seed else 5, probability) != first


def test_decisions_of_an_account_do_not_depend_on_other_requests() -> None:
    alone, made, chosen = decisions(7), FaultDecisions(), FaultSelection(0.3, 7)
    beside = []
    for _ in range(400):
        beside.append(made.affects("latency", chosen, FaultCall("ana", "issue", "/a")))
        made.affects("latency", chosen, FaultCall("bea", "issue", "/a"))
        made.affects("latency", chosen, FaultCall("ana", "stamp", "/b"))
        made.affects("unavailable", chosen, FaultCall("ana", "issue", "/a"))
    assert beside == alone


@pytest.mark.parametrize(
    ("route", "account", "affected"),
    [
        ("", "", {"ana /cfdi33/issue/v4", "bea /cfdi33/issue/v4", "ana /v3/x", "bea /v3/x"}),
        ("/CFDI33/issue", "", {"ana /cfdi33/issue/v4", "bea /cfdi33/issue/v4"}),
        ("", "ANA", {"ana /cfdi33/issue/v4", "ana /v3/x"}),
        ("/v3", "bea", {"bea /v3/x"}),
    ],
)
def test_take_affects_requests_of_route_and_account(
    faults: Faults, route: str, account: str, affected: set[str]
) -> None:
    faults.set("unavailable", selection=FaultSelection(route=route, account=account))
    calls = [FaultCall(user, "x", path) for user in ("ana", "bea") for path in ("/cfdi33/issue/v4", "/v3/x")]
    found = {f"{call.user} {call.path}" for call in calls if faults.take("unavailable", call=call) is not None}
    assert found == affected


@pytest.mark.parametrize("name", FAULTS)
def test_set_stores_every_value_of_every_fault(tmp_path: Path, faults: Faults, name: FaultName) -> None:
    limited = name in ("latency", "unavailable", "too-many-requests", "token-expired", "lco-changed", "answer-lost")
    seconds = 2.5 if name in ("latency", "unavailable", "too-many-requests", "delivery-late") else None
    selection = FaultSelection(0.25, 9, "/cfdi33" if limited else "", "ana" if limited else "")
    made = faults.set(name, 3, seconds, selection)
    assert made == Fault(name, 3, seconds or 0.0, selection)
    database = new_database(tmp_path)
    assert Faults(SandboxStore(database)).active() == [made]
    database.close()


@pytest.mark.parametrize("name", ["authority-down", "list-late", "delivery-late"])
@pytest.mark.parametrize("selection", [FaultSelection(route="/a"), FaultSelection(account="ana")])
def test_set_rejects_a_route_for_faults_of_the_authority(faults: Faults, name: str, selection: FaultSelection) -> None:
    with pytest.raises(ServiceError, match="fault-invalid"):
        faults.set(name, selection=selection)


@pytest.mark.parametrize(
    "selection",
    [
        FaultSelection(0.0),
        FaultSelection(-1.0),
        FaultSelection(1.5),
        FaultSelection(float("nan")),
        FaultSelection(seed=-1),
        FaultSelection(route="cfdi33"),
        FaultSelection(account="a" * 201),
    ],
)
def test_set_rejects_values_out_of_range(faults: Faults, selection: FaultSelection) -> None:
    with pytest.raises(ServiceError, match="fault-invalid"):
        faults.set("latency", selection=selection)
    assert faults.active() == []


def test_standing_fault_is_active_until_one_of_its_name_is_set(database: Database) -> None:
    standing = make_fault("unavailable", seconds=2, selection=FaultSelection(0.5))
    faults = Faults(SandboxStore(database), standing=[standing])
    assert faults.active() == [standing]
    made = faults.set("unavailable", seconds=9)
    assert faults.active() == [made]
    faults.clear()
    assert faults.active() == [standing]
