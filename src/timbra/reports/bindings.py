"""The reports of an archive."""

from __future__ import annotations

from timbra.container import Bindings, Container
from timbra.operations.ports import ReportFiles, report_files


def _csv_files(container: Container) -> ReportFiles:
    from timbra.reports.build import report_services  # only for a process that writes archives

    return container.get(report_services).reports.csv_files


BINDINGS: Bindings = {report_files: _csv_files}
