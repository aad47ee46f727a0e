"""Periodic jobs continue after failures; service errors are logged in one line, bugs with their traceback."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from structlog.testing import capture_logs

from timbra.core.errors import ServiceError
from timbra.web.server.periodic_jobs import JobSchedule, PeriodicJob, run_periodically

FIRST_RUN_SECONDS = 5.0


def logged(failure: Exception) -> list[dict[str, object]]:
    """Return the log of a job that fails three times in the same way, until it succeeds."""
    runs = 0
    again = asyncio.Event()

    def work() -> None:
        nonlocal runs
        runs += 1
        if runs <= 3:
            raise failure
        again.set()

    async def run() -> None:
        task = asyncio.create_task(run_periodically([PeriodicJob("sweep", 0.001, work, in_thread=False)]))
        await asyncio.wait_for(again.wait(), 10)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    with capture_logs() as lines:
        asyncio.run(run())
    return [dict(line) for line in lines]


def test_job_logs_a_service_error_in_one_line() -> None:
    assert logged(ServiceError("CO1000", "La base de datos no responde.")) == [
        {
            "event": "job failed",
            "job": "sweep",
            "code": "CO1000",
            "detail": "La base de datos no responde.",
            "log_level": "warning",
        },
        {"event": "job succeeded again", "job": "sweep", "failures": 3, "log_level": "info"},
    ]


@pytest.mark.parametrize("bug", [KeyError("x"), ValueError("y")])
def test_job_logs_a_bug_with_its_traceback(bug: Exception) -> None:
    line, _ = logged(bug)

    assert (line["event"], line["log_level"], line["exc_info"]) == ("job failed", "error", True)


def schedule(idle_seconds: float = 0) -> JobSchedule:
    """Return the schedule of a job with an interval of one second, started at 0 with activity 0."""
    return JobSchedule(PeriodicJob("sweep", 1, lambda: None, idle_seconds=idle_seconds), 0, 0.0)


def test_job_is_due_after_its_interval_and_not_while_it_runs() -> None:
    job = schedule()
    assert [job.is_due(0, now) for now in (0.9, 1.0)] == [False, True]
    job.begin(0)
    assert not job.is_due(0, 5)
    job.succeed(5)
    assert [job.is_due(0, now) for now in (5.9, 6)] == [False, True]


def test_job_of_an_idle_worker_is_due_after_the_idle_interval() -> None:
    job = schedule(idle_seconds=4)
    assert [job.is_due(0, now) for now in (1, 3.9, 4)] == [False, False, True]


@pytest.mark.parametrize(("interval", "idle"), [(3600, 0), (60, 600), (FIRST_RUN_SECONDS, 0)])
def test_job_with_a_longer_interval_is_due_soon_after_the_start(interval: float, idle: float) -> None:
    job = JobSchedule(PeriodicJob("expire", interval, lambda: None, idle_seconds=idle), 0, 100.0)
    first = 100 + FIRST_RUN_SECONDS
    assert [job.is_due(0, now) for now in (first - 0.1, first)] == [False, True]
    job.begin(0)
    job.succeed(first)
    later = first + max(interval, idle)
    assert [job.is_due(0, now) for now in (later - 0.1, later)] == [False, True]


def test_job_is_due_once_after_an_activity() -> None:
    job = schedule(idle_seconds=10)
    assert job.is_due(1, 1)
    job.begin(1)
    job.succeed(1)
    assert [job.is_due(1, now) for now in (2, 10.9, 11)] == [False, False, True]


def test_job_is_due_again_after_an_activity_during_its_run() -> None:
    job = schedule(idle_seconds=10)
    job.begin(1)
    job.succeed(1)
    assert job.is_due(2, 2)


def test_job_is_due_after_its_interval_when_a_run_failed() -> None:
    job = schedule(idle_seconds=10)
    job.begin(0)
    job.fail(10, "down")
    assert [job.is_due(0, now) for now in (10.9, 11)] == [False, True]


def test_failure_that_stays_is_logged_once_a_minute() -> None:
    job = schedule()
    assert [job.fail(now, "down") for now in (1, 2, 60, 61, 62)] == [True, False, False, True, False]
    assert job.fail(63, "full")
    assert [job.succeed(now) for now in (64, 65)] == [6, 0]
    assert job.fail(66, "full")


def test_cancelled_jobs_end_with_their_runner() -> None:
    started = asyncio.Event()

    async def run() -> None:
        task = asyncio.create_task(run_periodically([PeriodicJob("a", 0.001, started.set, in_thread=False)]))
        await asyncio.wait_for(started.wait(), 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(run())
