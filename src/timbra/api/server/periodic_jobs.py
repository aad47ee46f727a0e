"""What a worker does by the clock, beside serving: the only timers of the service."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from timbra.errors import ServiceError

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.jobs")


@dataclass(frozen=True, slots=True)
class PeriodicJob:
    """Work that recurs. seconds: pause between two runs. in_thread: for work that takes longer than a millisecond."""

    name: str
    seconds: float
    work: Callable[[], None]
    in_thread: bool = True


async def repeat(job: PeriodicJob) -> None:
    """Runs a job for ever; a failure is logged and the next run comes as planned.

    A failure that the service knows, such as a database out of reach, is one line each time; any other has its trace.
    """
    while True:
        await asyncio.sleep(job.seconds)
        try:
            if job.in_thread:
                await asyncio.to_thread(job.work)
            else:
                job.work()
        except ServiceError as error:
            log.warning("job failed", job=job.name, code=error.code, detail=error.detail)
        except Exception:
            log.exception("job failed", job=job.name)
