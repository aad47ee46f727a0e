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
    from timbra.service.operations.manifests import Manifests
    from timbra.service.operations.reports.catalog import Reports, ReportSources
    from timbra.service.services import ReportServices
    from timbra.store.activity.availability import AvailabilityLog
    from timbra.store.activity.manifests import ManifestRepository
    from timbra.store.activity.report_queries import ReportQueries

    queries, manifests = ReportQueries(stores.database), ManifestRepository(stores.database)
    sources = ReportSources(
        queries,
        AvailabilityLog(stores.database),
        manifests,
        stores.lists,
        stores.clock_discipline,
        stores.wall,
        lambda: stores.snapshot.version,
        stores.database.dialect,
    )
    reports = Reports(sources)
    acuses = (partial(acuses_of_cancellations, queries), partial(acuses_of_deliveries, queries))
    return ReportServices(
        reports=reports,
        archive=ArchiveExport(queries, reports, acuses, stores.settings.environment, stores.wall),
        manifests=Manifests(manifests, stores.event_log, stores.wall),
        events=stores.event_log,
        wall=stores.wall,
    )
