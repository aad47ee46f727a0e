"""Construction of reports, archives and manifests."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.bootstrap.list_fetching import ListStores
    from timbra.service.services import ReportServices


def report_services(stores: ListStores) -> ReportServices:
    """Build the services of reports over the database and the lists."""
    from timbra.service.operations.archive import ArchiveExport, acuses_of_cancellations, acuses_of_deliveries
    from timbra.service.operations.archive_storage import storage_of
    from timbra.service.operations.manifests import Manifests
    from timbra.service.operations.monthly_archives import MonthlyArchives
    from timbra.service.operations.reports.catalog import Reports, ReportSources
    from timbra.service.operations.retention import Retention
    from timbra.service.services import ReportServices
    from timbra.store.activity.archives import ArchiveRepository
    from timbra.store.activity.availability import AvailabilityLog
    from timbra.store.activity.manifests import ManifestRepository
    from timbra.store.activity.pruning import PruningRepository
    from timbra.store.activity.report_queries import ReportQueries

    queries, manifests = ReportQueries(stores.database), ManifestRepository(stores.database)
    repository = ArchiveRepository(stores.database)
    sources = ReportSources(
        queries,
        AvailabilityLog(stores.database),
        manifests,
        repository,
        stores.listed_provider_certificates,
        stores.lists,
        stores.clock_discipline,
        stores.wall,
        lambda: stores.snapshot.version,
        stores.database.dialect,
    )
    reports = Reports(sources)
    acuses = (partial(acuses_of_cancellations, queries), partial(acuses_of_deliveries, queries))
    export = ArchiveExport(queries, reports, acuses, stores.settings.environment, stores.wall)
    settings = stores.settings
    archives = MonthlyArchives(
        export, repository, stores.event_log, storage_of, settings.archive_place, stores.wall, stores.metrics
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
    return ReportServices(
        reports=reports,
        archive=export,
        archives=archives,
        retention=retention,
        manifests=Manifests(manifests, stores.event_log, stores.wall),
        events=stores.event_log,
        wall=stores.wall,
    )
