"""Construction of archives, which contain the reports of their period."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from timbra.accounts.build import approvals
from timbra.archive.export import ArchiveExport, acuses_of_cancellations, acuses_of_deliveries
from timbra.archive.monthly import MonthlyArchives
from timbra.archive.pruning import PruningRepository
from timbra.archive.queries import ArchiveQueries
from timbra.archive.retention import Retention
from timbra.archive.storage import storage_of
from timbra.archive.store import ArchiveRepository
from timbra.container import Container
from timbra.core.approvals import ProtectedAction
from timbra.core.checks import CheckOptions, CheckResult, run_check
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.database.build import cluster_jobs, opened_database
from timbra.events.build import audit_writer, event_consumers, event_recorder
from timbra.events.recorder import EventRecorder
from timbra.operations.ports import report_files
from timbra.settings import Settings
from timbra.stamps.build import stamp_months
from timbra.web.server.feature_jobs import FeatureJobs
from timbra.web.server.periodic_jobs import PeriodicJob

LEASE_SECONDS = 3 * 3600
"""Half of the term for which one process of all nodes writes and prunes archives; longer than the largest one takes."""


@dataclass(frozen=True, slots=True)
class ArchiveServices:
    """Archives.

    Attributes:
        archive: writes the archive of any period.
        archives: writes and records the archives of months.
        retention: deletes what is older than the term and archived.
        events: the event log.
    """

    archive: ArchiveExport
    archives: MonthlyArchives
    retention: Retention
    events: EventRecorder
    wall: Clock


def archive_services(container: Container) -> ArchiveServices:
    """Build the archives of months and their retention."""
    get, settings, wall = container.get, container.settings, container.wall
    database, events = get(opened_database), get(event_recorder)
    queries = ArchiveQueries(database)
    acuses = (partial(acuses_of_cancellations, queries), partial(acuses_of_deliveries, queries))
    export = ArchiveExport(queries, get(report_files), acuses, settings.environment, wall)
    archives = MonthlyArchives(
        export, ArchiveRepository(database), events, storage_of, settings.archive_place, wall, container.metrics
    )
    retention = Retention(
        archives,
        queries,
        PruningRepository(database, get(event_consumers), get(stamp_months)),
        database,
        get(audit_writer),
        storage_of,
        settings.retention_months,
        wall,
        container.metrics,
    )
    return ArchiveServices(export, archives, retention, events, wall)


def archive_months(container: Container) -> None:
    """Write the archive of an ended month, or prune an old one unless a second person confirms that."""
    services = container.get(archive_services)
    if not services.archives.run_due() and not container.get(approvals).protects(ProtectedAction.PRUNE):
        services.retention.prune()


def _has_archives(settings: Settings) -> bool:
    return bool(settings.archive_place or settings.retention_months)


def _warnings(container: Container) -> Sequence[str]:
    """Return what an operator must see to about archives, in Spanish; none without archives."""
    return container.get(archive_services).archives.problems() if _has_archives(container.settings) else ()


def _delivery_jobs(container: Container) -> list[PeriodicJob]:
    if not _has_archives(container.settings):
        return []
    run = container.get(cluster_jobs).once("archives", LEASE_SECONDS, partial(archive_months, container))
    return [PeriodicJob("archives", 600, run)]


SERVICES = {ArchiveServices: archive_services}
JOBS = FeatureJobs(delivery=_delivery_jobs)
WARNINGS = (_warnings,)


def archive_checks(container: Container, options: CheckOptions) -> Iterator[CheckResult]:
    """Yield whether the place of the archives can be read."""
    place = container.settings.archive_place
    if place and (options.online or "://" not in place):
        yield run_check("lugar de los archivos", lambda: _readable(place))


def _readable(place: str) -> str:
    if "://" not in place and Path(place).exists() and not Path(place).is_dir():
        raise ServiceError("archive-storage", f"{place} no es una carpeta.")
    storage_of(place).exists("timbra-check")
    return place


DIAGNOSTICS = {"archivos": archive_checks}
