"""Periodic jobs: work that a worker repeats at an interval while it serves requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from timbra.errors import ServiceError

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.jobs")


@dataclass(frozen=True, slots=True)
class PeriodicJob:
    """Work that a worker repeats.

    Attributes:
        name: Name in the log.
        interval_seconds: Pause before each run.
        work: The work of one run.
        in_thread: Whether it runs in a thread; required for work that takes longer than a millisecond.
        idle_seconds: Pause before each run while the worker is idle, if it is longer. Its purpose is work of other
            processes; that of this worker is done within `interval_seconds`.
    """

    name: str
    interval_seconds: float
    work: Callable[[], None]
    in_thread: bool = True
    idle_seconds: float = 0


async def run_periodically(job: PeriodicJob, activity: Callable[[], object] = lambda: None) -> None:
    """Run a job until this task is cancelled; a failure is logged and does not stop later runs.

    A ServiceError, such as an unreachable database, is logged in one line; any other exception with its traceback.

    Args:
        job: The job.
        activity: Returns a value that changes with every request of this worker. While it stays equal the worker is
            idle, and the job runs at its longer interval.
    """
    loop = asyncio.get_running_loop()
    seen, last_run = activity(), loop.time()
    while True:
        await asyncio.sleep(job.interval_seconds)
        found = activity()
        if found == seen and loop.time() - last_run < job.idle_seconds:
            continue
        seen = found
        if await _run(job):
            last_run = loop.time()


async def _run(job: PeriodicJob) -> bool:
    """Run a job once; return whether it succeeded."""
    try:
        if job.in_thread:
            await asyncio.to_thread(job.work)
        else:
            job.work()
    except ServiceError as error:
        log.warning("job failed", job=job.name, code=error.code, detail=error.detail)
    except Exception:
        log.exception("job failed", job=job.name)
    else:
        return True
    return False
