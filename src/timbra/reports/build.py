"""Construction of reports."""

from __future__ import annotations

from timbra.catalogs.build import catalog_source
from timbra.container import Bindings, Container
from timbra.database.build import opened_database
from timbra.lists.build import published_lists
from timbra.operations.availability import AvailabilityLog
from timbra.operations.ports import ReportFiles, report_files
from timbra.operations.watches import clock_discipline
from timbra.provider.ports import listed_provider_certificates
from timbra.reports.catalog import Reports, ReportSources
from timbra.reports.queries import ReportQueries


def provider_reports(container: Container) -> Reports:
    """Build the reports over the database and the lists."""
    get, wall, database = container.get, container.wall, container.get(opened_database)
    sources = ReportSources(
        ReportQueries(database),
        AvailabilityLog(database),
        get(listed_provider_certificates),
        get(published_lists),
        get(clock_discipline),
        wall,
        lambda: get(catalog_source).latest().snapshot.version,
        database.dialect,
    )
    return Reports(sources)


def _csv_files(container: Container) -> ReportFiles:
    return container.get(provider_reports).csv_files


SERVICES = {Reports: provider_reports}
BINDINGS: Bindings = {report_files: _csv_files}
