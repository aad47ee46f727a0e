"""Construction of reports, and what is recorded for them."""

from __future__ import annotations

import socket
from dataclasses import asdict
from functools import partial

import structlog

from timbra.container import Container
from timbra.database.build import opened_database
from timbra.events.build import event_recorder
from timbra.lists.build import published_lists
from timbra.manifests.store import ManifestRepository
from timbra.operations.availability import AvailabilityLog
from timbra.operations.watches import clock_discipline
from timbra.reports.archives import ArchiveRepository
from timbra.reports.catalog import CLOCK_EVENT, Reports, ReportSources
from timbra.reports.ports import listed_provider_certificates
from timbra.reports.queries import ReportQueries
from timbra.reports.services import ReportServices
from timbra.snapshot.opening import opened_snapshot
from timbra.web.server.feature_jobs import FeatureJobs, once_in_cluster
from timbra.web.server.periodic_jobs import PeriodicJob

CLOCK_LOG = structlog.get_logger("timbra.clock")


def report_services(container: Container) -> ReportServices:
    """Build the reports over the database and the lists."""
    get, wall, database = container.get, container.wall, container.get(opened_database)
    sources = ReportSources(
        ReportQueries(database),
        AvailabilityLog(database),
        ManifestRepository(database),
        ArchiveRepository(database),
        get(listed_provider_certificates),
        get(published_lists),
        get(clock_discipline),
        wall,
        lambda: get(opened_snapshot).version,
        database.dialect,
    )
    return ReportServices(Reports(sources), get(event_recorder), wall)


def record_clock(container: Container) -> None:
    """Write the reading of the machine's clock into the event log, and log an alarm.

    A sandbox has no alarm: the instants of its stamps prove nothing.
    """
    discipline = container.get(clock_discipline)
    reading, problem = discipline.read(), discipline.problem()
    if problem is not None and not container.environment.is_sandbox:
        CLOCK_LOG.warning("clock not accurate", detail=problem)
    if reading is not None:
        container.get(event_recorder).record(CLOCK_EVENT, socket.gethostname(), asdict(reading))


def _worker_jobs(container: Container) -> list[PeriodicJob]:
    return [once_in_cluster(container, f"clock {socket.gethostname()}", 3600, partial(record_clock, container))]


SERVICES = {ReportServices: report_services}
JOBS = FeatureJobs(worker=_worker_jobs)
