"""The process of `timbra serve` that does what follows a commit: deliveries, e-mail, usage, the audit chain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from timbra.cli.jobs import delivery_jobs, process_jobs
from timbra.core.posix import limit_arenas, lower_priority

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from timbra.settings import Settings

NICENESS = 10
"""Requests get the processor first. Not more: this process needs a tenth of a busy core, and SQLite's write lock."""
ARENAS = 1
"""Of malloc. The jobs run in any thread of a pool: an arena for each would keep the peak of the largest job."""


def run_deliveries(
    settings: Settings,
    shared: Path,
    inherited: Sequence[socket.socket],
    on_ready: Callable[[], None],
    parent_pipe: int | None = None,
) -> None:
    """Run the deliveries of a node in this process, with a container of its own, until a signal stops it.

    Args:
        settings: Settings of the server.
        shared: Folder in which the processes of a node exchange their metrics.
        inherited: Listening sockets of the workers, which this process closes: it accepts no requests.
        on_ready: Called once the jobs begin.
        parent_pipe: File descriptor that closes when the supervisor ends; the process then stops.
    """
    for listener in inherited:
        listener.close()
    from timbra.app.composition import open_container
    from timbra.database.build import opened_database
    from timbra.delivery.pace import OWN_PROCESS
    from timbra.delivery.ports import delivery_pace
    from timbra.web.server import job_process
    from timbra.web.server.otlp import traced

    limit_arenas(ARENAS)
    bindings = {delivery_pace: lambda _: OWN_PROCESS}
    with traced(settings), open_container(settings, metrics_folder=shared, bindings=bindings) as container:
        # Not before: on a busy machine the start would take long.
        lower_priority(NICENESS)
        database = container.get(opened_database)
        database.listen()
        jobs = [*process_jobs(container), *delivery_jobs(container)]
        job_process.run(jobs, on_ready, parent_pipe, container.stopping.set, database.commit_counter)
