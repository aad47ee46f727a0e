"""The periodic jobs of a server: those of every process, of a worker, and of the process for deliveries."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from timbra.core.posix import release_free_memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from timbra.app.composition import Container
    from timbra.inspector.services import InspectorServices
    from timbra.web.server.periodic_jobs import PeriodicJob

MEMORY_SECONDS, IDLE_MEMORY_SECONDS = 30, 600
"""Pause before a process gives free memory back: a busy one, and an idle one."""
LIST_LEASE_SECONDS = 300
"""Half of the term for which one worker of all nodes that share a folder of lists fetches them."""
ARCHIVE_LEASE_SECONDS = 3 * 3600
"""Half of the term for which one process of all nodes writes and prunes archives."""
WORDS_LEASE_SECONDS = 30
"""Half of the term for which one process of all nodes writes the words of searches; a search does not wait for it."""


def process_jobs(container: Container, poll: Callable[[], None] | None = None) -> list[PeriodicJob]:
    """Return the jobs of every process: they read and write what is in the memory of that process.

    Args:
        container: The container of the process.
        poll: Detects changes of other processes; `Container.poll` when None.
    """
    from timbra.web.server.periodic_jobs import PeriodicJob

    return [
        # Detects changes for which the process got neither a change of the generation file nor a notification.
        PeriodicJob("poll", 0.5, poll or container.poll, idle_seconds=1),
        PeriodicJob("audit counts", 2, container.use_counter.flush, idle_seconds=10),
        PeriodicJob("publish", 1, container.multiprocess_metrics.publish, in_thread=False),
        PeriodicJob("memory", MEMORY_SECONDS, release_free_memory, idle_seconds=IDLE_MEMORY_SECONDS),
    ]


def worker_jobs(container: Container) -> list[PeriodicJob]:
    """Return the jobs that each worker runs beside its requests."""
    from timbra.app.jobs import feature_jobs
    from timbra.web.server.periodic_jobs import PeriodicJob

    operations, once = container.operations_services, container.cluster_jobs.once
    inspector, clock = container.inspector_services, f"clock {socket.gethostname()}"

    def poll() -> None:
        container.poll()
        inspector.feed.notify()

    return [
        *process_jobs(container, poll),
        *(job for feature in feature_jobs() for job in feature.worker(container)),
        PeriodicJob("queue", 0.5, container.measure_queue, idle_seconds=4),
        PeriodicJob("lists", 60, container.import_dropped_lists),
        *_list_jobs(container),
        PeriodicJob("rejections", 2, operations.rejections.flush, idle_seconds=10),
        *_call_jobs(inspector),
        PeriodicJob("idle processes", 60, container.end_idle_processes),
        PeriodicJob("availability", 60, once("availability", 60, container.record_availability)),
        PeriodicJob(clock, 3600, once(clock, 3600, container.record_clock)),
    ]


def delivery_jobs(container: Container) -> list[PeriodicJob]:
    """Return the jobs that follow a commit; a process of its own runs them, or a single process beside its requests.

    A new kind of delivery is one more line of `kinds`: name, seconds between two runs, the work of one run. Those of a
    feature are in its own `JOBS`.
    """
    from timbra.app.jobs import by_holder, feature_jobs, once_in_cluster
    from timbra.web.server.periodic_jobs import PeriodicJob

    operations, once = container.operations_services, container.cluster_jobs.once
    audit_chain = container.audit_log.chain
    chain = once("audit chain", 1, audit_chain.run)

    words = once("words", WORDS_LEASE_SECONDS, container.stamp_words.index_when_idle)

    def chain_if_due() -> None:
        if audit_chain.is_due():
            chain()

    kinds: tuple[tuple[str, float, Callable[[], None]], ...] = (
        ("deliver", 0.5, container.deliver),
        # Not with the deliveries: a cancellation service that does not answer must not delay them.
        ("resend", 1, container.resend),
        ("mail", 1, container.send_mail),
        ("refresh", 1, container.refresh),
    )
    # Work of one process of all nodes: its name, the seconds between two runs, the work of one run.
    cluster: tuple[tuple[str, float, Callable[[], object]], ...] = (
        ("expire calls", 60, container.inspector_services.expire),
        ("expire rejections", 3600, operations.rejections.expire),
        ("expire logins", 3600, container.account_services.accounts.expire_logins),
        ("usage", 60, operations.usage.count),
        ("audit intervals", 10, container.use_counter.roll_up),
        ("audit heads", 60, container.audit_heads.run),
    )
    return [
        # A lease of its own: a program of before consumers, which may deliver for all nodes, does not read the log.
        by_holder(container, "events", 0.5, container.dispatch_events, lease="events"),
        *(by_holder(container, *kind) for kind in kinds),
        *(once_in_cluster(container, *job) for job in cluster),
        *(job for feature in feature_jobs() for job in feature.delivery(container)),
        PeriodicJob("words", 1, words, idle_seconds=2),
        PeriodicJob("checkpoint", 1, container.database.checkpoint, idle_seconds=10),
        PeriodicJob("audit chain", 1, chain_if_due, idle_seconds=2),
        PeriodicJob("audit head", 60, container.audit_heads.write_file),
        PeriodicJob("integrity", 600, container.database_integrity.check_if_due),
        *_archive_jobs(container),
    ]


def _call_jobs(inspector: InspectorServices) -> list[PeriodicJob]:
    """Return the job that writes the recorded calls of this worker; none while the inspector is switched off."""
    from timbra.web.server.periodic_jobs import PeriodicJob

    recorder = inspector.recorder
    return [] if recorder is None else [PeriodicJob("calls", 0.5, recorder.flush, idle_seconds=10)]


def _archive_jobs(container: Container) -> list[PeriodicJob]:
    """Return the job that archives and prunes months; its lease is longer than the largest archive takes."""
    from timbra.web.server.periodic_jobs import PeriodicJob

    settings = container.settings
    if not settings.archive_place and not settings.retention_months:
        return []
    run = container.cluster_jobs.once("archives", ARCHIVE_LEASE_SECONDS, container.archive_months)
    return [PeriodicJob("archives", 600, run)]


def _list_jobs(container: Container) -> list[PeriodicJob]:
    """Return the job that fetches lists: one worker of all nodes that share the folder of the lists runs it."""
    from timbra.web.server.periodic_jobs import PeriodicJob

    refresh = container.list_refresh
    if not refresh.kinds:
        return []
    lease = f"lists {container.lists.identifier()}"
    return [
        PeriodicJob("fetch lists", 15, container.cluster_jobs.once(lease, LIST_LEASE_SECONDS, container.fetch_lists))
    ]
