"""The periodic jobs of features: each feature declares functions that return its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from timbra.container import Container
from timbra.core.features import features
from timbra.database.build import cluster_jobs, opened_database
from timbra.web.server.periodic_jobs import PeriodicJob

DELIVERY_LEASE_SECONDS = 5
"""Half of the term for which the process of one node delivers for all nodes of a PostgreSQL database."""


def _none(_container: Container) -> Sequence[PeriodicJob]:
    return ()


def _nothing(_container: Container) -> None:
    """Do nothing: the feature has no buffer, or no answer without an end."""


@dataclass(frozen=True, slots=True)
class FeatureJobs:
    """The periodic jobs of a feature. The functions are called once, when a process starts its jobs.

    Attributes:
        worker: Returns the jobs that each worker runs beside its requests.
        delivery: Returns the jobs that follow a commit, see `timbra.cli.jobs.delivery_jobs`.
        flush: Writes what this process has in a buffer. Called before the process ends, and before a reset.
        stop: Ends answers that have no end; called on the event loop when the worker stops.
    """

    worker: Callable[[Container], Sequence[PeriodicJob]] = _none
    delivery: Callable[[Container], Sequence[PeriodicJob]] = _none
    flush: Callable[[Container], None] = _nothing
    stop: Callable[[Container], None] = _nothing


def feature_jobs() -> list[FeatureJobs]:
    """Return the periodic jobs of all features."""
    return [feature.read(module, "JOBS") for feature in features() for module in feature.jobs]


def by_holder(
    container: Container, name: str, seconds: float, work: Callable[[], None], lease: str = "deliveries"
) -> PeriodicJob:
    """Return the job of a kind of delivery: one node delivers for all. SQLite has one node, and needs no lease."""
    if container.get(opened_database).dialect != "sqlite":
        work = container.get(cluster_jobs).once(lease, DELIVERY_LEASE_SECONDS, work)
    return PeriodicJob(name, seconds, work, idle_seconds=4)


def once_in_cluster(container: Container, name: str, seconds: float, work: Callable[[], object]) -> PeriodicJob:
    """Return a job that one process of all nodes runs."""
    return PeriodicJob(name, seconds, container.get(cluster_jobs).once(name, seconds, work))
