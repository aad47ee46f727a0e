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
