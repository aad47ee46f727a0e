"""Construction of archives, which contain the reports of their period."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from timbra.accounts.build import approvals
from timbra.archive.cold_documents import ArchiveReader, ColdDocuments
from timbra.archive.export import ArchiveExport, acuses_of_cancellations, acuses_of_deliveries
from timbra.archive.monthly import MonthlyArchives
from timbra.archive.pruning import PruningRepository
from timbra.archive.queries import ArchiveQueries
from timbra.archive.retention import Retention
from timbra.archive.storage import storage_of
from timbra.archive.store import ArchiveRepository
from timbra.container import Bindings, Container
from timbra.core.approvals import ProtectedAction
from timbra.core.checks import CheckOptions, CheckResult, run_check
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.database.build import archive_reader, cluster_jobs, opened_database
from timbra.database.codec import ArchivedDocument
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
        cold: replaces the documents of old months by references to their archives.
        events: the event log.
    """

    archive: ArchiveExport
    archives: MonthlyArchives
    retention: Retention
    cold: ColdDocuments
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
    cold = ColdDocuments(archives, retention, queries, database, storage_of, settings.online_document_months)
    return ArchiveServices(export, archives, retention, cold, events, wall)


def archive_months(container: Container) -> None:
    """Write the archive of an ended month, or work on what older ones have.

    Months are pruned unless a second person confirms that; then documents are replaced by references.
    """
    services = container.get(archive_services)
    if services.archives.run_due():
        return
    if not container.get(approvals).protects(ProtectedAction.PRUNE):
        services.retention.prune()
    services.cold.replace()


def _has_archives(settings: Settings) -> bool:
    return bool(settings.archive_place or settings.retention_months or settings.online_document_months)


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


def _reader(container: Container) -> Callable[[ArchivedDocument], bytes]:
    return ArchiveReader(container.get(opened_database), partial(storage_of, is_prompt=True)).read


BINDINGS: Bindings = {archive_reader: _reader}


def archive_checks(container: Container, options: CheckOptions) -> Iterator[CheckResult]:
    """Yield whether the place of the archives can be read, and the archives from which documents are read."""
    settings = container.settings
    place = settings.archive_place
    if place and (options.online or "://" not in place):
        yield run_check("lugar de los archivos", lambda: _readable(place))
    if settings.online_document_months:
        yield run_check("archivos con documentos", lambda: _open_archives(container, options))


def _open_archives(container: Container, options: CheckOptions) -> str:
    cold = container.get(archive_services).cold
    checked = [record for record in cold.due() if options.online or "://" not in record.place]
    for record in checked:
        cold.open(record)
    return str(len(checked))


def _readable(place: str) -> str:
    if "://" not in place and Path(place).exists() and not Path(place).is_dir():
        raise ServiceError("archive-storage", f"{place} no es una carpeta.")
    storage_of(place).exists("timbra-check")
    return place


DIAGNOSTICS = {"archivos": archive_checks}
