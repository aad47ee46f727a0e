"""The files of a reconciliation: CSV, JSON, a workbook and a page, with the same numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

import orjson

from timbra.core.errors import ServiceError
from timbra.core.spreadsheets import BYTE_ORDER_MARK, MAX_ROWS, Cell, SheetFullError, WorkbookWriter, csv_line
from timbra.received.reconciliation.run_models import FoundDifference, ReconciliationResult, ReconciliationSummary
from timbra.validation.amounts import shortest_amount

COLUMNS = {
    "kind": "Diferencia",
    "books": "Registros",
    "uuid": "Folio fiscal",
    "other_uuid": "Otro folio fiscal",
    "row": "Renglón",
    "issuer_rfc": "Emisor",
    "receiver_rfc": "Receptor",
    "serie": "Serie",
    "folio": "Folio",
    "fecha": "Fecha",
    "tipo_de_comprobante": "Tipo",
    "moneda": "Moneda",
    "sat_amount": "Importe del SAT",
    "books_amount": "Importe registrado o pagado",
    "detail": "Detalle",
}
"""Names of the columns of the differences, with their Spanish headings."""
SUMMARY_HEADINGS = ("Diferencia", "Nombre", "Número", "Importe del SAT", "Importe registrado o pagado")
DOCUMENT_HEADINGS = ("Tipo", "Moneda", "Vigentes", "Total", "Cancelados")
BOOKS_HEADINGS = ("Registros", "Vigentes", "Total", "Cancelados", "Por folio fiscal", "Por RFC, total y día")
SOURCE_HEADINGS = ("Fuente", "Clase", "Leídos", "Reparados", "Ilegibles")
BOOKS_NAMES = {"erp": "ERP", "ledger": "Timbra"}
SOURCE_KINDS = {
    "metadata": "metadatos",
    "xml": "XML",
    "dataset": "resultados de una corrida",
    "stored": "documentos guardados",
    "erp": "registros",
    "payments": "pagos",
    "ledger": "CFDI timbrados aquí",
}
SHOWN_ROWS = 200
"""Differences of each kind on the page."""
SUMMARY, DIFFERENCES, DOCUMENTS, BOOKS, SOURCES = "Resumen", "Diferencias", "CFDI del SAT", "Registros", "Fuentes"


class ReportForm(StrEnum):
    """Forms of a report."""

    HTML = "html"
    XLSX = "xlsx"
    CSV = "csv"
    JSON = "json"


MEDIA_TYPES = {
    ReportForm.HTML: "text/html; charset=utf-8",
    ReportForm.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ReportForm.CSV: "text/csv; charset=utf-8",
    ReportForm.JSON: "application/json",
}


def values_of(difference: FoundDifference) -> list[Any]:
    """Return the values of a difference, in the order of `COLUMNS`."""
    return [
        difference.kind.name,
        difference.books,
        difference.uuid,
        difference.other_uuid,
        difference.row,
        difference.issuer_rfc,
        difference.receiver_rfc,
        difference.serie,
        difference.folio,
        difference.fecha,
        difference.tipo,
        difference.moneda,
        difference.sat_amount,
        difference.books_amount,
        difference.detail,
    ]


def summary_values(summary: ReconciliationSummary) -> dict[str, Any]:
    """Return the numbers of a reconciliation for JSON; amounts are texts."""
    options = summary.options
    return {
        "rfc": options.rfc,
        "side": options.side.value,
        "since": options.since and options.since.isoformat(),
        "until": options.until and options.until.isoformat(),
        "tolerance": shortest_amount(options.tolerance),
        "differences": summary.differences,
        "kinds": [
            {
                "kind": each.kind.name,
                "count": each.count,
                "sat_amount": shortest_amount(each.sat_amount),
                "books_amount": shortest_amount(each.books_amount),
            }
            for each in summary.kinds
        ],
        "documents": [
            {
                "tipo_de_comprobante": each.tipo,
                "moneda": each.moneda or None,
                "in_force": each.in_force,
                "total": shortest_amount(each.total),
                "cancelled": each.cancelled,
            }
            for each in summary.documents
        ],
        "books": [
            {
                "books": each.books,
                "in_force": each.in_force,
                "total": shortest_amount(each.total),
                "cancelled": each.cancelled,
                "matched_by_uuid": each.by_uuid,
                "matched_by_content": each.by_content,
            }
            for each in summary.books
        ],
        "sources": [
            {
                "source": each.name,
                "kind": each.kind,
                "rows": each.rows,
                "repaired": each.repaired,
                "unreadable": each.unreadable,
            }
            for each in summary.sources
        ],
    }


def json_lines(found: ReconciliationResult) -> Iterator[bytes]:
    """Yield the summary and the differences as one JSON object."""
    head = orjson.dumps({"summary": summary_values(found.summary)})
    yield head[:-1] + b',"differences":['
    separator = b"\n"
    for difference in found.differences(None):
        row = {name: _json(value) for name, value in zip(COLUMNS, values_of(difference), strict=True)}
        yield separator + orjson.dumps(row)
        separator = b",\n"
    yield b"\n]}\n"


def csv_lines(found: ReconciliationResult) -> Iterator[str]:
    """Yield the lines of the differences."""
    yield BYTE_ORDER_MARK + csv_line(COLUMNS)
    for difference in found.differences(None):
        yield csv_line(_cells(values_of(difference)))


def write_workbook(found: ReconciliationResult, target: Path) -> None:
    """Write summary, differences and sources as a workbook.

    Raises:
        ServiceError: "TB4005" when the sheet has no place for all differences.
    """
    heads = {
        SUMMARY: SUMMARY_HEADINGS,
        DIFFERENCES: tuple(COLUMNS.values()),
        DOCUMENTS: DOCUMENT_HEADINGS,
        BOOKS: BOOKS_HEADINGS,
        SOURCES: SOURCE_HEADINGS,
    }
    book = WorkbookWriter(target, heads)
    try:
        for sheet, rows in summary_tables(found.summary).items():
            book.add(sheet, (_cells(row) for row in rows))
        book.add(DIFFERENCES, (_cells(_titled(difference)) for difference in found.differences(None)))
    except SheetFullError as error:
        detail = f"Una hoja de cálculo tiene a lo más {MAX_ROWS:,} renglones; use CSV."
        raise ServiceError("TB4005", detail) from error
    finally:
        book.close()


def summary_tables(summary: ReconciliationSummary) -> dict[str, list[list[Any]]]:
    """Return the rows of the numbers, by sheet."""
    return {
        SUMMARY: [
            [each.kind.title, each.kind.name, each.count, each.sat_amount, each.books_amount] for each in summary.kinds
        ],
        DOCUMENTS: [[each.tipo, each.moneda, each.in_force, each.total, each.cancelled] for each in summary.documents],
        BOOKS: [
            [
                BOOKS_NAMES[each.books],
                each.in_force,
                each.total,
                each.cancelled,
                each.by_uuid,
                each.by_content,
            ]
            for each in summary.books
        ],
        SOURCES: [
            [each.name, SOURCE_KINDS[each.kind], each.rows, each.repaired, each.unreadable] for each in summary.sources
        ],
    }


def write_html(found: ReconciliationResult, target: Path) -> None:
    """Write the report as one page without scripts, with at most `SHOWN_ROWS` differences of each kind."""
    from jinja2 import Environment

    source = files("timbra.received.reconciliation").joinpath("report.html").read_text("utf-8")
    template = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(source)
    shown = {
        name: [shown_values(difference) for difference in rows]
        for name, rows in groupby(found.differences(SHOWN_ROWS), key=lambda difference: difference.kind.name)
    }
    headings = {
        SUMMARY: SUMMARY_HEADINGS,
        DOCUMENTS: DOCUMENT_HEADINGS,
        BOOKS: BOOKS_HEADINGS,
        SOURCES: SOURCE_HEADINGS,
    }
    page = template.render(
        summary=found.summary,
        tables=[(name, headings[name], rows) for name, rows in summary_tables(found.summary).items()],
        columns=[*COLUMNS.values()][1:],
        shown=shown,
        limit=SHOWN_ROWS,
        text=shown_text,
    )
    target.write_text(page, "utf-8")


def write_report(found: ReconciliationResult, form: ReportForm, target: Path) -> None:
    """Write a result in a form. Raises ServiceError: as `write_workbook`."""
    if form is ReportForm.HTML:
        write_html(found, target)
    elif form is ReportForm.XLSX:
        write_workbook(found, target)
    else:
        lines = json_lines(found) if form is ReportForm.JSON else (line.encode() for line in csv_lines(found))
        with target.open("wb") as file:
            file.writelines(lines)


def shown_text(value: object) -> str:
    """Return a value as text for people."""
    match value:
        case None:
            return ""
        case int():
            return f"{value:,}"
        case Decimal():
            return f"{value:,.2f}"
        case datetime():
            return f"{value:%Y-%m-%d}"
        case _:
            return BOOKS_NAMES.get(str(value), str(value))


def shown_values(difference: FoundDifference) -> list[Any]:
    """Return the values below the headings of `COLUMNS` besides the first."""
    return values_of(difference)[1:]


def _titled(difference: FoundDifference) -> list[Any]:
    _, books, *others = values_of(difference)
    return [difference.kind.title, books and BOOKS_NAMES[books], *others]


def _json(value: Any) -> Any:
    return shortest_amount(value) if isinstance(value, Decimal) else value


def _cells(values: Iterable[Any]) -> list[Cell]:
    return [_cell(value) for value in values]


def _cell(value: Any) -> Cell:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Decimal):
        return Decimal(shortest_amount(value))
    return value if isinstance(value, int) else str(value)
