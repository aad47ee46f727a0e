"""Periodic jobs: work that a worker repeats at an interval while it serves requests."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from inspect import isawaitable

import structlog

from timbra.core.errors import ServiceError

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.jobs")

FIRST_RUN_SECONDS = 5.0
"""The longest time from the start of a process to the first run of a job."""
REPEATED_SECONDS = 60.0
"""Time after which a failure that stays is logged again."""
TOLERANCE = 0.1
"""Share of a tick by which a job may run early: timers are late, and intervals are multiples of the tick."""


@dataclass(frozen=True, slots=True)
class PeriodicJob:
    """Work that a worker repeats.

    Attributes:
        name: Name in the log.
        interval_seconds: Pause before each run; before the first one at most `FIRST_RUN_SECONDS`.
        work: The work of one run; without a thread it may be a coroutine function.
        in_thread: Whether it runs in a thread; required for work that takes longer than a millisecond.
        idle_seconds: Pause before each run while the worker is idle, if it is longer. Its purpose is work of other
            processes; that of this worker is done within `interval_seconds`.
    """

    name: str
    interval_seconds: float
    work: Callable[[], Awaitable[None] | None]
    in_thread: bool = True
    idle_seconds: float = 0


class JobSchedule:
    """When a job is due. Times are readings of the clock of the event loop, in seconds.

    The first run does not wait for a long interval: a process that is replaced every hour would never reach it.

    Args:
        job: The job.
        activity: Activity of the worker at the start.
        now: Time of the start.
    """

    def __init__(self, job: PeriodicJob, activity: object, now: float) -> None:
        self.job = job
        self._seen = activity
        self._running = False
        first = now + FIRST_RUN_SECONDS
        self._ended_at = first - max(job.interval_seconds, FIRST_RUN_SECONDS)
        self._succeeded_at = first - max(job.interval_seconds, job.idle_seconds, FIRST_RUN_SECONDS)
        self._failures, self._failure, self._logged_at = 0, "", first

    def is_due(self, activity: object, now: float) -> bool:
        """Whether the job is to run now: not while it runs, and in an idle worker at its longer interval only."""
        if self._running or now - self._ended_at < self.job.interval_seconds:
            return False
        return activity != self._seen or now - self._succeeded_at >= self.job.idle_seconds

    def begin(self, activity: object) -> None:
        """Record that a run begins, which does the work of this activity."""
        self._seen, self._running = activity, True

    def succeed(self, now: float) -> int:
        """Record the end of a run; return how many before it failed in a row."""
        self._ended_at = self._succeeded_at = now
        self._running = False
        failures, self._failures, self._failure = self._failures, 0, ""
        return failures

    def fail(self, now: float, failure: str) -> bool:
        """Record the end of a run that failed: the next one is due at the short interval.

        Returns:
            Whether the failure is to be logged: another one than before, or a minute after it was logged.
        """
        self._ended_at, self._running, self._seen = now, False, object()
        self._failures += 1
        is_new = failure != self._failure or now - self._logged_at >= REPEATED_SECONDS
        if is_new:
            self._failure, self._logged_at = failure, now
        return is_new


async def run_periodically(jobs: Sequence[PeriodicJob], activity: Callable[[], object] = lambda: None) -> None:
    """Run jobs until this task is cancelled; a failure is logged, once a minute while it stays, and stops no later run.

    A ServiceError, such as an unreachable database, is logged in one line; any other exception with its traceback. One
    timer serves all jobs, because each wake-up of an idle process costs more than most jobs.

    Args:
        activity: Returns a value that changes with every request of this worker. While it stays equal the worker is
            idle, and jobs run at their longer intervals.
    """
    loop = asyncio.get_running_loop()
    schedules = [JobSchedule(job, activity(), loop.time()) for job in jobs]
    running: set[asyncio.Task[None]] = set()
    tick = min((job.interval_seconds for job in jobs), default=1.0)
    try:
        while True:
            await asyncio.sleep(tick)
            found, now = activity(), loop.time()
            for schedule in schedules:
                if schedule.is_due(found, now + TOLERANCE * tick):
                    schedule.begin(found)
                    task = asyncio.create_task(_run_scheduled(schedule))
                    running.add(task)
                    task.add_done_callback(running.discard)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _run_scheduled(schedule: JobSchedule) -> None:
    job, now = schedule.job, asyncio.get_running_loop().time
    try:
        if job.in_thread:
            await asyncio.to_thread(job.work)
        elif isawaitable(work := job.work()):
            await work
    except ServiceError as error:
        if schedule.fail(now(), f"{error.code} {error.detail}"):
            log.warning("job failed", job=job.name, code=error.code, detail=error.detail)
    except Exception as error:
        if schedule.fail(now(), repr(error)):
            log.exception("job failed", job=job.name)
    else:
        if failures := schedule.succeed(now()):
            log.info("job succeeded again", job=job.name, failures=failures)
