"""Periodic jobs under leases: one worker of all nodes runs each."""

from __future__ import annotations

import multiprocessing
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.resilience.stepped_clock import step
from tests.support.databases import need_postgresql, postgresql_database, prepare_sqlite, sqlite_url
from tests.support.store_records import NOON, MovableClock
from tests.support.waiting import wait_until

from timbra.core.errors import ServiceError
from timbra.database.cluster_jobs import TERM_IN_PERIODS, ClusterJobs
from timbra.database.database import Database, open_database
from timbra.database.leases import Leases
from timbra.database.tables.core import LEASE

PERIOD = 60.0


@pytest.fixture(scope="module")
def postgresql_address() -> Iterator[str]:
    need_postgresql()
    with postgresql_database() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of a database without leases."""
    if request.param == "sqlite":
        prepare_sqlite(tmp_path / "data")
        return sqlite_url(tmp_path / "data")
    url: str = request.getfixturevalue("postgresql_address")
    database = open_database(url)
    with database.write() as connection:
        connection.execute(LEASE.delete())
    database.close()
    return url


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def databases(address: str) -> Iterator[list[Database]]:
    """Return the database as opened by two nodes, or by two workers of one node."""
    opened = [open_database(address) for _ in range(2)]
    yield opened
    for database in opened:
        database.close()


def test_once_runs_a_job_in_one_worker(databases: list[Database], clock: MovableClock) -> None:
    runs: list[str] = []

    def monotonic() -> float:
        return clock.now().timestamp()

    workers = [
        ClusterJobs(Leases(database, clock), name, monotonic).once("usage", PERIOD, lambda name=name: runs.append(name))  # type: ignore[misc]
        for name, database in zip("ab", databases, strict=True)
    ]
    for _ in range(3):
        for run in workers:
            run()
        clock.advance(seconds=PERIOD)
    assert runs == ["a", "a", "a"]


def test_once_runs_a_job_elsewhere_when_the_lease_of_a_dead_worker_expires(
    databases: list[Database], clock: MovableClock
) -> None:
    runs: list[str] = []
    first, second = (ClusterJobs(Leases(database, clock)) for database in databases)
    first.once("usage", PERIOD, lambda: runs.append("first"))()
    run = second.once("usage", PERIOD, lambda: runs.append("second"))
    clock.advance(seconds=2 * PERIOD - 1)
    run()
    assert runs == ["first"]
    clock.advance(seconds=1)
    run()
    assert runs == ["first", "second"]


def test_once_renews_a_lease_after_a_quarter_of_its_term() -> None:
    class CountedLeases:
        acquired = 0

        def try_acquire(self, name: str, holder: str, seconds: float) -> bool:
            self.acquired += 1
            return True

        def release(self, name: str, holder: str) -> None:
            pass

    seconds, runs, leases = [0.0], [], CountedLeases()
    jobs = ClusterJobs(leases, monotonic=lambda: seconds[0])
    deliver, mail = (jobs.once("deliveries", PERIOD, lambda name=name: runs.append(name)) for name in "dm")  # type: ignore[misc]
    for at in (0, PERIOD / 4, PERIOD / 2 - 1):
        seconds[0] = at
        deliver()
        mail()
    assert (len(runs), leases.acquired) == (6, 1)
    seconds[0] = PERIOD / 2
    mail()
    assert (len(runs), leases.acquired) == (7, 2)


def test_once_runs_jobs_of_other_names_independently(databases: list[Database], clock: MovableClock) -> None:
    runs: list[str] = []
    first, second = (ClusterJobs(Leases(database, clock)) for database in databases)
    first.once("usage", PERIOD, lambda: runs.append("usage"))()
    second.once("expire rejections", PERIOD, lambda: runs.append("expire rejections"))()
    assert runs == ["usage", "expire rejections"]


def test_close_releases_the_leases_of_a_worker(databases: list[Database], clock: MovableClock) -> None:
    runs: list[str] = []
    first, second = (ClusterJobs(Leases(database, clock)) for database in databases)
    first.once("usage", PERIOD, lambda: runs.append("first"))()
    first.close()
    second.once("usage", PERIOD, lambda: runs.append("second"))()
    assert runs == ["first", "second"]


def test_once_releases_the_lease_when_the_job_fails(databases: list[Database], clock: MovableClock) -> None:
    def fail() -> None:
        raise ServiceError("CO1000")

    runs: list[str] = []
    first, second = (ClusterJobs(Leases(database, clock)) for database in databases)
    with pytest.raises(ServiceError):
        first.once("usage", PERIOD, fail)()
    second.once("usage", PERIOD, lambda: runs.append("second"))()
    assert runs == ["second"]


def test_close_ignores_a_database_out_of_reach() -> None:
    class UnreachableLeases:
        def try_acquire(self, name: str, holder: str, seconds: float) -> bool:
            return True

        def release(self, name: str, holder: str) -> None:
            raise ServiceError("CO1000")

    jobs = ClusterJobs(UnreachableLeases())
    jobs.once("usage", PERIOD, lambda: None)()
    jobs.close()


@dataclass(frozen=True)
class FileClock:
    """A clock that stands still until a test steps it; its file has the seconds since NOON."""

    path: Path

    def now(self) -> datetime:
        return NOON + timedelta(seconds=float(self.path.read_text()))


def _run_job(address: str, name: str, folder: Path) -> None:
    database = open_database(address)

    def write_line(file_name: str) -> None:
        with (folder / file_name).open("a") as file:
            file.write(f"{name}\n")

    leases = Leases(database, FileClock(folder / "clock"))
    run = ClusterJobs(leases).once("usage", PERIOD, lambda: write_line("runs"))
    while True:
        run()
        write_line("attempts")
        time.sleep(0.01)


def test_once_runs_a_job_in_another_process_when_the_holder_of_the_lease_is_killed(
    address: str, tmp_path: Path
) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    step(folder / "clock", 0)
    for name in ("runs", "attempts"):
        (folder / name).touch()
    context = multiprocessing.get_context("fork")
    processes = {
        name: context.Process(target=_run_job, args=(address, name, folder), daemon=True) for name in ("one", "two")
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for process in processes.values():
            process.start()
    try:
        wait_until(lambda: len(_lines(folder, "runs")) >= 2 and set(_lines(folder, "attempts")) == set(processes))
        [holder] = set(_lines(folder, "runs"))
        processes[holder].kill()
        processes[holder].join(60)
        runs = len(_lines(folder, "runs"))
        step(folder / "clock", TERM_IN_PERIODS * PERIOD - 1)
        attempts = len(_lines(folder, "attempts"))
        wait_until(lambda: len(_lines(folder, "attempts")) >= attempts + 2)
        assert len(_lines(folder, "runs")) == runs
        step(folder / "clock", TERM_IN_PERIODS * PERIOD)
        wait_until(lambda: len(_lines(folder, "runs")) >= runs + 2)
        assert set(_lines(folder, "runs")[runs:]) == set(processes) - {holder}
    finally:
        for process in processes.values():
            process.kill()
            process.join(60)


def _lines(folder: Path, name: str) -> list[str]:
    return (folder / name).read_text().split()
