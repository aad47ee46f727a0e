"""Periodic jobs continue after failures; service errors are logged in one line, bugs with their traceback."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from structlog.testing import capture_logs

from timbra.api.server.periodic_jobs import PeriodicJob, run_periodically
from timbra.errors import ServiceError


def logged(failure: Exception) -> list[dict[str, object]]:
    """Return the log of a job that fails once."""
    runs = 0
    again = asyncio.Event()

    def work() -> None:
        nonlocal runs
        runs += 1
        if runs == 1:
            raise failure
        again.set()

    async def run() -> None:
        task = asyncio.create_task(run_periodically(PeriodicJob("sweep", 0.001, work, in_thread=False)))
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
        }
    ]


@pytest.mark.parametrize("bug", [KeyError("x"), ValueError("y")])
def test_job_logs_a_bug_with_its_traceback(bug: Exception) -> None:
    [line] = logged(bug)

    assert (line["event"], line["log_level"], line["exc_info"]) == ("job failed", "error", True)


def runs_of(job_seconds: float, activities: list[int], failures: int = 0) -> list[int]:
    """Return the activity at each run of a job with a long idle interval, while the activity takes these values."""
    left, runs = iter(activities), []
    current, ended = [activities[0]], asyncio.Event()

    def activity() -> int:
        following = next(left, None)
        if following is None:
            ended.set()
        else:
            current[0] = following
        return current[0]

    def work() -> None:
        runs.append(current[0])
        if len(runs) <= failures:
            raise ServiceError("CO1000")

    async def run() -> None:
        job = PeriodicJob("sweep", 0.001, work, in_thread=False, idle_seconds=job_seconds)
        task = asyncio.create_task(run_periodically(job, activity))
        await asyncio.wait_for(ended.wait(), 10)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    with capture_logs():
        asyncio.run(run())
    return runs


def test_job_runs_once_for_each_activity_when_the_worker_is_idle_otherwise() -> None:
    assert runs_of(600, [0, 0, 0, 1, 1, 1, 2, 3, 3]) == [1, 2, 3]


def test_job_without_an_idle_interval_runs_at_each_interval() -> None:
    assert runs_of(0, [0, 0, 1, 1]) == [0, 1, 1, 1]


def test_failed_job_runs_again_after_the_short_interval() -> None:
    """The idle interval counts from the last success: a job that has not run for longer runs although it is idle."""
    assert runs_of(0.0001, [0, 1, 1], failures=1) == [1, 1, 1]
