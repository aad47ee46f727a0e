"""Construction of reports, archives and manifests."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.app.list_fetching import ListStores
    from timbra.archive.services import ArchiveServices
    from timbra.manifests.services import ManifestServices
    from timbra.reports.catalog import Reports
    from timbra.reports.services import ReportServices


def report_services(stores: ListStores) -> ReportServices:
    """Build the reports over the database and the lists."""
    from timbra.manifests.store import ManifestRepository
    from timbra.operations.availability import AvailabilityLog
    from timbra.reports.archives import ArchiveRepository
    from timbra.reports.catalog import Reports, ReportSources
    from timbra.reports.queries import ReportQueries
    from timbra.reports.services import ReportServices

    sources = ReportSources(
        ReportQueries(stores.database),
        AvailabilityLog(stores.database),
        ManifestRepository(stores.database),
        ArchiveRepository(stores.database),
        stores.listed_provider_certificates,
        stores.lists,
        stores.clock_discipline,
        stores.wall,
        lambda: stores.snapshot.version,
        stores.database.dialect,
    )
    return ReportServices(Reports(sources), stores.event_log, stores.wall)


def manifest_services(stores: ListStores) -> ManifestServices:
    """Build the register of manifests."""
    from timbra.manifests.manifests import Manifests
    from timbra.manifests.services import ManifestServices
    from timbra.manifests.store import ManifestRepository

    manifests = Manifests(ManifestRepository(stores.database), stores.event_log, stores.wall)
    return ManifestServices(manifests, stores.wall)


def archive_services(stores: ListStores, reports: Reports) -> ArchiveServices:
    """Build the archives, which contain the reports of their period."""
    from timbra.archive.export import ArchiveExport, acuses_of_cancellations, acuses_of_deliveries
    from timbra.archive.monthly import MonthlyArchives
    from timbra.archive.pruning import PruningRepository
    from timbra.archive.retention import Retention
    from timbra.archive.services import ArchiveServices
    from timbra.archive.storage import storage_of
    from timbra.reports.archives import ArchiveRepository
    from timbra.reports.queries import ReportQueries

    settings, queries = stores.settings, ReportQueries(stores.database)
    acuses = (partial(acuses_of_cancellations, queries), partial(acuses_of_deliveries, queries))
    export = ArchiveExport(queries, reports, acuses, settings.environment, stores.wall)
    archives = MonthlyArchives(
        export,
        ArchiveRepository(stores.database),
        stores.event_log,
        storage_of,
        settings.archive_place,
        stores.wall,
        stores.metrics,
    )
    retention = Retention(
        archives,
        queries,
        PruningRepository(stores.database),
        stores.database,
        stores.audit,
        storage_of,
        settings.retention_months,
        stores.wall,
        stores.metrics,
    )
    return ArchiveServices(export, archives, retention, stores.event_log, stores.wall)
