"""Tables of a file that the SAT publishes: workbooks (.xls, .xlsx) and CSV, read as texts.

A sheet of the SAT has a title, a row of editions (`Versión catálogo`, `Fecha publicación de catálogo`), a header of one
or two rows and the rows of the table. Large tables are split into several sheets (`c_CodigoPostal_Parte_1`).
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from pathlib import Path

from timbra.core.errors import ServiceError

Cells = tuple[str, ...]
_PART = re.compile(r"(?:_parte)?_[0-9]+\Z", re.IGNORECASE)
NO_VALUE = ("", "0")
"""Cells of the row of editions that state nothing."""
EXCEL = (".xls", ".xlsx", ".xlsm", ".xlsb", ".ods")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet of a workbook, or a CSV file: its name without the number of the part, and its rows."""

    name: str
    rows: tuple[Cells, ...]


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of a sheet.

    Attributes:
        edition: values of the row of editions, `2.0 revisión 2, 2025-12-31`; empty when the sheet has none.
        columns: normalized headings, see `normalize`.
        rows: texts in the order of the columns.
    """

    name: str
    edition: str
    columns: Cells
    rows: tuple[Cells, ...]

    def column(self, *prefixes: str) -> int | None:
        """Return the index of the first column whose heading begins with one of the prefixes; None when none does."""
        return next((i for i, heading in enumerate(self.columns) if heading.startswith(prefixes)), None)


def read_sheets(file: Path) -> list[Sheet]:
    """Read all sheets of a workbook, or a CSV file as one sheet.

    Raises:
        ServiceError: "snapshot-source" when the file cannot be read, or python-calamine is not installed.
    """
    try:
        if file.suffix.lower() in EXCEL:
            return _read_workbook(file)
        with file.open(encoding="utf-8-sig", newline="") as lines:
            return [Sheet(_base_name(file.stem), tuple(map(tuple, csv.reader(lines))))]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ServiceError("snapshot-source", f"No se pudo leer {file}: {error}.") from error


def _read_workbook(file: Path) -> list[Sheet]:
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        detail = "Los libros de Excel necesitan python-calamine: instale timbra[workbooks], o use CSV."
        raise ServiceError("snapshot-source", detail) from error
    try:
        with CalamineWorkbook.from_path(file) as workbook:
            return [
                Sheet(
                    _base_name(name),
                    tuple(tuple(map(_text, row)) for row in workbook.get_sheet_by_name(name).to_python()),
                )
                for name in workbook.sheet_names
            ]
    except CalamineError as error:
        raise ServiceError("snapshot-source", f"No se pudo leer {file}: {error}.") from error


def _base_name(name: str) -> str:
    return _PART.sub("", name.strip())


def _text(cell: object) -> str:
    if isinstance(cell, datetime):
        return cell.date().isoformat()
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def normalize(heading: str) -> str:
    """Return a heading in lower case, without accents, and with words separated by one blank."""
    plain = unicodedata.normalize("NFKD", heading)
    return " ".join("".join(c for c in plain if not unicodedata.combining(c)).casefold().replace("_", " ").split())


def read_tables(sheets: Sequence[Sheet]) -> Iterator[PublishedTable]:
    """Yield the tables of catalogs among the sheets; the parts of a table are joined."""
    parts: dict[str, list[PublishedTable]] = {}
    for sheet in sheets:
        table = _to_table(sheet)
        if table is not None:
            parts.setdefault(sheet.name, []).append(table)
    for name, found in parts.items():
        rows = tuple(row for part in found for row in part.rows)
        yield PublishedTable(name, found[0].edition, found[0].columns, rows)


def _to_table(sheet: Sheet) -> PublishedTable | None:
    header = next((i for i, row in enumerate(sheet.rows) if _is_header(row)), None)
    if header is None or not sheet.name.casefold().startswith("c_"):
        return None
    columns, first = [*map(normalize, sheet.rows[header])], header + 1
    if first < len(sheet.rows) and not sheet.rows[first][0] and any(sheet.rows[first]):
        below = sheet.rows[first]
        columns = [normalize(below[i]) if i < len(below) and below[i] else c for i, c in enumerate(columns)]
        first += 1
    rows = tuple(row for row in sheet.rows[first:] if any(row[:3]))
    return PublishedTable(sheet.name, _edition(sheet.rows[:header]), tuple(columns), rows)


def _is_header(row: Cells) -> bool:
    headings = [*map(normalize, row)]
    return any(heading.startswith("c ") or heading in ("clave", "id") for heading in headings)


def _edition(rows: Sequence[Cells]) -> str:
    for headings, values in pairwise(rows):
        names = [*map(normalize, headings)]
        if "version catalogo" in names:
            named = dict(zip(names, values, strict=False))
            version, revision = named["version catalogo"], named.get("revision catalogo", "")
            published = named.get("fecha publicacion de catalogo", "")
            edition = version if revision in NO_VALUE else f"{version} revisión {revision}"
            return edition if published in NO_VALUE else f"{edition}, {published}"
    return ""
