"""Files with the results of uploaded documents: the tables as CSV or workbook, and reports as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from timbra.cfdi.document import DocumentParser
from timbra.core.clock import WallClock
from timbra.core.errors import ServiceError
from timbra.rendering.pdf_reading import PdfContent, is_pdf
from timbra.validation.folders import DocumentResult, failed_result, identified_row, identity_of
from timbra.validation.printed_totals import opened, with_printed_total
from timbra.validation.report_rendering import to_json_line
from timbra.validation.result_files import findings_path, result_files
from timbra.validation.tables import DocumentRows, finding_rows, header_columns
from timbra.validation.uploads import UploadedDocument

if TYPE_CHECKING:
    from timbra.pools import AccountPools
    from timbra.validation.models import ValidationReport
    from timbra.validation.validation import ValidationService


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A kind of file with results.

    Attributes:
        name: its name.
        label: Spanish label of its button.
    """

    name: str
    label: str
    media_type: str


CSV_TYPE = "text/csv; charset=utf-8"
EXPORTS = {
    each.name: each
    for each in (
        ExportFile("documentos.csv", "CSV de documentos", CSV_TYPE),
        ExportFile("hallazgos.csv", "CSV de hallazgos", CSV_TYPE),
        ExportFile("resultados.xlsx", "Excel", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        ExportFile("resultados.json", "JSON", "application/json"),
    )
}
"""By name."""


async def examine_for_export(
    validation: ValidationService,
    document: UploadedDocument,
    *,
    with_status: bool,
    require_stamp: bool,
    pools: AccountPools,
    leniency: str | None,
) -> DocumentResult:
    """Validate one uploaded document, and return its rows of the tables; for the arguments see `view.examine`."""
    name, content = document.name, document.content
    try:
        if document.rejection is not None:
            raise document.rejection
        xml, read = content, None
        if is_pdf(content):
            xml, read = await pools.run_files(opened, content, in_spanish=True)
        report = await validation.validate(
            xml, with_status, pools.account, pools.run_database, require_stamp=require_stamp, leniency=leniency
        )
        return await pools.run_files(_result, document, xml, read, report)
    except ServiceError as error:
        return failed_result(name, error, identity_of(name, content))


def _result(
    document: UploadedDocument, xml: bytes, read: PdfContent | None, report: ValidationReport
) -> DocumentResult:
    root = DocumentParser().parse(xml).root
    report = with_printed_total(report, root, read)
    row = identified_row(document.name, document.content, root, report, WallClock().now())
    rows = DocumentRows(row, [*finding_rows(report)])
    return DocumentResult(document.name, report, header=header_columns(root), rows=rows)


def export_of(results: Sequence[DocumentResult], name: str) -> bytes:
    """Return the content of a file with results. It takes a second for thousands; do not call it on the event loop.

    Args:
        name: key of `EXPORTS`.
    """
    if name == "resultados.json":
        lines = ",\n".join(to_json_line(result).text for result in results)
        return f"[{lines}]\n".encode()
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        is_workbook = path.suffix == ".xlsx"
        with result_files(None if is_workbook else path, path if is_workbook else None) as tables:
            if tables is None:
                raise ValueError("no file was requested")
            for result in results:
                tables.count(result, is_written=True)
        return (findings_path(path) if name == "hallazgos.csv" else path).read_bytes()
