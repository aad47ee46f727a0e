"""The periodic jobs of a server: those of every process, of a worker, and of the process for deliveries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from timbra.core.posix import release_free_memory

if TYPE_CHECKING:
    from timbra.container import Container
    from timbra.web.server.periodic_jobs import PeriodicJob

MEMORY_SECONDS, IDLE_MEMORY_SECONDS = 30, 600
"""Pause before a process gives free memory back: a busy one, and an idle one."""


def process_jobs(container: Container) -> list[PeriodicJob]:
    """Return the jobs of every process: they read and write what is in the memory of that process."""
    from timbra.database.build import opened_database
    from timbra.events.build import use_counter
    from timbra.lists.catalog_build import catalog_editions
    from timbra.operations.build import multiprocess_metrics
    from timbra.web.server.periodic_jobs import PeriodicJob

    publish = container.get(multiprocess_metrics).publish
    return [
        # Detects changes for which the process got neither a change of the generation file nor a notification.
        PeriodicJob("poll", 0.5, container.get(opened_database).poll, idle_seconds=1),
        # Reads a new edition in a process that gets no request for it.
        PeriodicJob("catalogs", 1, container.get(catalog_editions).refresh, idle_seconds=5),
        PeriodicJob("audit counts", 2, container.get(use_counter).flush, idle_seconds=10),
        PeriodicJob("publish", 1, publish, in_thread=False),
        PeriodicJob("memory", MEMORY_SECONDS, release_free_memory, idle_seconds=IDLE_MEMORY_SECONDS),
    ]


def worker_jobs(container: Container) -> list[PeriodicJob]:
    """Return the jobs that each worker runs beside its requests."""
    from timbra.web.server.feature_jobs import feature_jobs

    return [*process_jobs(container), *(job for feature in feature_jobs() for job in feature.worker(container))]


def delivery_jobs(container: Container) -> list[PeriodicJob]:
    """Return the jobs that follow a commit; a process of its own runs them, or a single process beside its requests."""
    from timbra.web.server.feature_jobs import feature_jobs

    return [job for feature in feature_jobs() for job in feature.delivery(container)]
