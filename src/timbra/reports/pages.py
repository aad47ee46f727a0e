"""Reports that a provider hands over: preview, CSV and workbook of a month."""

from __future__ import annotations

import tempfile
from datetime import datetime
from itertools import islice

from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError
from timbra.core.periods import DayPeriod, month_of
from timbra.core.spreadsheets import text_of
from timbra.reports.catalog import REPORTS, Reports
from timbra.reports.files import CONTENT_TYPES, FORMATS
from timbra.reports.report import Cell
from timbra.web.portal.dispatch.page import MenuGroup, MenuItem, Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest

PATH = "/portal/reportes"
PREVIEW_ROWS = 50
MAX_FILE_BYTES = 32 * 1024 * 1024


async def show(page_request: PageRequest, reports: Reports) -> Response:
    """List the reports, and preview the one that is selected."""
    month = page_request.query("mes") or f"{reports.today():%Y-%m}"
    name = page_request.query("reporte")
    values: dict[str, object] = {"reports": REPORTS, "month": month, "name": name, "limit": PREVIEW_ROWS}
    if name not in REPORTS:
        return page_request.render("reports.html", values)
    try:
        rows = await page_request.pools.run_database(_preview, reports, name, month_of(month))
    except ServiceError as error:
        return page_request.render_error("reports.html", error, {**values, "name": ""})
    return page_request.render("reports.html", {**values, "rows": rows})


async def download(page_request: PageRequest, reports: Reports) -> Response:
    """Download a report of a month as CSV or as a workbook."""
    name, form = page_request.path_parameter("name"), page_request.path_parameter("form")
    if name not in REPORTS or form not in FORMATS:
        raise HTTPException(404)
    month = page_request.query("mes") or f"{reports.today():%Y-%m}"
    content = await page_request.pools.run_database(_file, reports, name, month_of(month), form)
    disposition = f'attachment; filename="{name}-{month}.{form}"'
    return Response(content, media_type=CONTENT_TYPES[form], headers={"Content-Disposition": disposition})


def _preview(reports: Reports, name: str, period: DayPeriod) -> list[list[str]]:
    report = reports.build(name, period)
    return [[_shown(cell) for cell in row] for row in islice(report.rows, PREVIEW_ROWS)]


def _shown(cell: Cell) -> str:
    if isinstance(cell, datetime):
        return f"{cell.astimezone(CENTRAL_MEXICO):%Y-%m-%d %H:%M:%S}"
    return text_of(cell)


def _file(reports: Reports, name: str, period: DayPeriod, form: str) -> bytes:
    """Return the file of a report. Raises ServiceError: "report-invalid" when it is too large for the portal."""
    with tempfile.TemporaryFile() as file:
        FORMATS[form](reports.build(name, period), file)
        if file.tell() > MAX_FILE_BYTES:
            raise ServiceError("report-invalid", f"Es muy grande para el portal; use timbra report {name}.")
        file.seek(0)
        return file.read()


PAGES = (
    Page(
        "GET",
        PATH,
        show,
        PageAccess.ADMINISTRATOR,
        menu=MenuItem("Reportes", 200, MenuGroup.ADMINISTRATION),
        icon="file-down",
    ),
    Page("GET", f"{PATH}/{{name}}.{{form}}", download, PageAccess.ADMINISTRATOR),
)
