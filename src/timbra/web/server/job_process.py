"""A process that runs periodic jobs and serves no requests."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress

from timbra.core.posix import handle_signal
from timbra.web.server.periodic_jobs import PeriodicJob, run_periodically


def run(
    jobs: Sequence[PeriodicJob],
    on_ready: Callable[[], None],
    parent_pipe: int | None,
    on_stop: Callable[[], None],
    activity: Callable[[], object],
) -> None:
    """Run jobs until SIGTERM, SIGINT or the end of the parent process; then wait for those that run.

    Args:
        on_ready: Called once, before the first job.
        parent_pipe: File descriptor that becomes readable when the parent process ends; None without one.
        on_stop: Called in the event loop when the process is to end; makes long jobs return early.
        activity: As for `run_periodically`.
    """
    asyncio.run(_run(jobs, on_ready, parent_pipe, on_stop, activity))


async def _run(
    jobs: Sequence[PeriodicJob],
    on_ready: Callable[[], None],
    parent_pipe: int | None,
    on_stop: Callable[[], None],
    activity: Callable[[], object],
) -> None:
    loop, stopping = asyncio.get_running_loop(), asyncio.Event()

    def stop() -> None:
        on_stop()
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        handle_signal(loop, number, stop)

    def on_parent_exit(descriptor: int) -> None:
        # The descriptor stays readable.
        loop.remove_reader(descriptor)
        stop()

    if parent_pipe is not None:
        loop.add_reader(parent_pipe, on_parent_exit, parent_pipe)
    on_ready()
    task = asyncio.create_task(run_periodically(jobs, activity))
    try:
        await stopping.wait()
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
