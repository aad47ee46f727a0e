"""Exports of other programs: CSV and workbooks of documents and of payments."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

import duckdb

from timbra.core.errors import ServiceError
from timbra.received.reconciliation.column_map import (
    BOOKS_COLUMNS,
    PAYMENT_COLUMNS,
    ColumnMap,
    find_columns,
)
from timbra.received.reconciliation.options import Side
from timbra.received.reconciliation.run_models import SourceCount
from timbra.received.reconciliation.workspace import AMOUNT, PARTS, RATE, Workspace, quoted

WORKBOOKS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods")
DATE_FORMATS = ("%d/%m/%Y", "%d/%m/%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%d-%m-%Y", "%Y/%m/%d", "%d.%m.%Y", "%Y%m%d")
PIECE = 1024 * 1024
MAX_LINE = 2 * 1024 * 1024
MAX_COLUMNS = 500
TYPES = {"ingreso": "I", "egreso": "E", "traslado": "T", "nomina": "N", "pago": "P", "retencion": "R"}
_TYPE = """CASE
  WHEN length(trim({0})) = 1 THEN upper(trim({0}))
  WHEN strip_accents(lower(trim({0}))) LIKE 'nota%' THEN 'E' WHEN lower(trim({0})) LIKE 'factura%' THEN 'I'
  ELSE {1} END"""


def read_books(workspace: Workspace, file: Path, mapped: ColumnMap, name: str = "") -> None:
    """Read the documents of an ERP. `name`: For display; that of the file by default.

    Raises:
        ServiceError: "source-unreadable", or "column-map" when its columns cannot be used.
    """
    source = SourceCount(name or file.name, "erp")
    columns = _load(workspace, source, file, mapped, BOOKS_COLUMNS)
    value = _Values(columns, mapped)
    own, other = "getvariable('rfc')", value.rfc("rfc")
    issued = workspace.options.side is Side.ISSUED
    issuer = f"coalesce({value.rfc('issuer_rfc')}, {own if issued else other})"
    receiver = f"coalesce({value.rfc('receiver_rfc')}, {other if issued else own})"
    parts = [value.amount(name) for name in PARTS]
    total = value.amount("total")
    if "subtotal" in columns and not {"total", "total_mxn"} & columns:
        added = [f"coalesce({value.amount(name)}, 0)" for name in ("iva", "ieps", "traslados_locales")]
        names = ("descuento", "isr_retenido", "iva_retenido", "ieps_retenido", "retenciones_locales")
        taken = [f"coalesce({value.amount(name)}, 0)" for name in names]
        total = f"CAST({' + '.join((value.amount('subtotal'), *added))} - {' - '.join(taken)} AS {AMOUNT})"
    workspace.run(
        f"""INSERT INTO books SELECT 'erp', row, {value.uuid("uuid")}, {issuer}, {receiver}, {value.time("fecha")},
        {total}, {value.amount("total_mxn")}, {value.currency()}, {value.rate()}, {value.cancelled()}, NULL,
        {value.type()}, {value.text("serie")}, {value.text("folio")}, upper({value.text("metodo_de_pago")}),
        {", ".join(parts)} FROM export"""
    )
    checks = {
        "El folio fiscal no se entiende.": value.is_wrong("uuid", value.uuid("uuid")),
        "La fecha no se entiende.": value.is_wrong("fecha", value.time("fecha")),
        "El total no se entiende.": value.is_wrong("total", value.amount("total")),
        "El total en pesos no se entiende.": value.is_wrong("total_mxn", value.amount("total_mxn")),
        "Faltan folio fiscal, o RFC, total y fecha.": f"{value.uuid('uuid')} IS NULL AND ({issuer} IS NULL OR "
        f"{receiver} IS NULL OR {value.time('fecha')} IS NULL "
        f"OR coalesce({total}, {value.amount('total_mxn')}) IS NULL)",
    }
    _quarantine(workspace, source, "books", checks, " AND books = 'erp'")
    workspace.has_erp = True


def read_payments(workspace: Workspace, file: Path, mapped: ColumnMap, name: str = "") -> None:
    """Read payments. Raises ServiceError: as `read_books`."""
    source = SourceCount(name or file.name, "payments")
    columns = _load(workspace, source, file, mapped, PAYMENT_COLUMNS)
    value = _Values(columns, mapped)
    workspace.run(
        f"""INSERT INTO paid SELECT row, {value.uuid("uuid")}, {value.rfc("rfc")}, {value.time("fecha")},
        {value.amount("monto")}, {value.currency()}, {value.rate()}, {value.text("referencia")} FROM export"""
    )
    checks = {
        "El folio fiscal no se entiende.": value.is_wrong("uuid", value.uuid("uuid")),
        "Falta la fecha, o no se entiende.": f"{value.time('fecha')} IS NULL",
        "Falta el importe, o no se entiende.": f"{value.amount('monto')} IS NULL",
        "Faltan el folio fiscal y el RFC.": f"{value.uuid('uuid')} IS NULL AND {value.rfc('rfc')} IS NULL",
    }
    _quarantine(workspace, source, "paid", checks, "")
    workspace.has_payments = True


def _quarantine(workspace: Workspace, source: SourceCount, table: str, checks: dict[str, str], also: str) -> None:
    """Move the rows that cannot be used to `unreadable`."""
    cases = " ".join(f"WHEN {condition} THEN '{reason}'" for reason, condition in checks.items())
    workspace.run(f"CREATE TEMP TABLE wrong AS SELECT row, CASE {cases} END AS reason FROM export")
    workspace.run("DELETE FROM wrong WHERE reason IS NULL")
    workspace.run(f"DELETE FROM {table} WHERE row IN (SELECT row FROM wrong){also}")
    workspace.run(f"INSERT INTO unreadable SELECT '{quoted(source.name)}', row, reason FROM wrong")
    source.unreadable += workspace.value("SELECT count(*) FROM wrong")
    source.rows = workspace.value("SELECT count(*) FROM export") - workspace.value("SELECT count(*) FROM wrong")
    workspace.run("DROP TABLE wrong")
    workspace.run("DROP TABLE export")
    workspace.sources.append(source)


class _Values:
    """Expressions of the values of an export, which is the table `export` of texts."""

    def __init__(self, columns: set[str], mapped: ColumnMap) -> None:
        self._columns = columns
        self._mapped = mapped

    def text(self, name: str) -> str:
        return f"nullif(trim({name}), '')" if name in self._columns else "NULL"

    def uuid(self, name: str) -> str:
        return f"TRY_CAST({self.text(name)} AS UUID)"

    def rfc(self, name: str) -> str:
        return f"upper(replace(replace({self.text(name)}, '-', ''), ' ', ''))"

    def time(self, name: str) -> str:
        if name not in self._columns:
            return "CAST(NULL AS TIMESTAMP)"
        formats = (self._mapped.date_format,) if self._mapped.date_format else DATE_FORMATS
        listed = ", ".join(f"'{quoted(each)}'" for each in formats)
        parsed = f"try_strptime({self.text(name)}, [{listed}])"
        return parsed if self._mapped.date_format else f"coalesce(TRY_CAST({self.text(name)} AS TIMESTAMP), {parsed})"

    def amount(self, name: str, type_: str = AMOUNT) -> str:
        if name not in self._columns:
            return f"CAST(NULL AS {type_})"
        dropped, text = "[$,\\s]", self.text(name)
        if self._mapped.decimal_comma:
            dropped, text = "[$\\s]", f"replace(replace({text}, '.', ''), ',', '.')"
        plain = f"regexp_replace(regexp_replace({text}, '{dropped}', '', 'g'), '^\\((.*)\\)$', '-\\1')"
        return f"abs(TRY_CAST({plain} AS {type_}))"

    def rate(self) -> str:
        return f"nullif({self.amount('tipo_cambio', RATE)}, 0)"

    def currency(self) -> str:
        text = f"upper({self.text('moneda')})"
        return f"CASE WHEN {text} IN ('MN', 'M.N.', 'PESOS', 'PESO', 'MXP') THEN 'MXN' ELSE {text} END"

    def cancelled(self) -> str:
        named = ", ".join(f"'{quoted(each.strip().lower())}'" for each in self._mapped.cancelled)
        listed = f" OR lower({self.text('status')}) IN ({named})" if named else ""
        return f"coalesce(lower({self.text('status')}) LIKE 'cancel%'{listed}, false)"

    def type(self) -> str:
        text = self.text("tipo_de_comprobante")
        if text == "NULL":
            return text
        cases = " ".join(
            f"WHEN strip_accents(lower({text})) LIKE '{name}%' THEN '{key}'" for name, key in TYPES.items()
        )
        return _TYPE.format(text, f"CASE {cases} END")

    def is_wrong(self, name: str, value: str) -> str:
        return f"{self.text(name)} IS NOT NULL AND {value} IS NULL" if name in self._columns else "false"


def _load(workspace: Workspace, source: SourceCount, file: Path, mapped: ColumnMap, names: tuple[str, ...]) -> set[str]:
    """Create the table `export` with the texts of the recognized columns and the number of each row."""
    if not file.is_file():
        raise ServiceError("source-unreadable", f"{source.name}: no existe")
    try:
        if file.suffix.lower() in WORKBOOKS:
            target, encoding, skipped = workspace.folder / "export.csv", "utf-8", 0
            with target.open("w", encoding="utf-8", newline="") as lines:
                csv.writer(lines).writerows(_sheet_rows(file, mapped))
        else:
            target, encoding, skipped = file, _encoding(file), mapped.skip
        with target.open(encoding=encoding, errors="replace", newline="") as lines:
            for _ in range(skipped):
                lines.readline(MAX_LINE)
            headings, delimiter = _headings(lines)
    except (OSError, csv.Error) as error:
        raise ServiceError("source-unreadable", f"{source.name}: {error}") from error
    places = find_columns(headings, mapped, names)
    columns = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(headings)))
    reader = (
        f"read_csv('{quoted(str(target))}', delim='{quoted(delimiter)}', quote='\"', escape='\"', header=true, "
        f"skip={skipped}, auto_detect=false, columns={{{columns}}}, strict_mode=false, null_padding=true, "
        f"encoding='{'latin-1' if encoding == 'cp1252' else 'utf-8'}', parallel=false, store_rejects=true, "
        f"max_line_size={MAX_LINE})"
    )
    first = skipped + 2 + (mapped.skip if target != file else 0)
    number = f"row_number() OVER () + {first - 1} AS row"
    chosen = ", ".join(f"c{place} AS {name}" for name, place in places.items())
    filled = " OR ".join(f"trim(c{place}) <> ''" for place in places.values())
    try:
        workspace.connection.execute(
            f"CREATE TEMP TABLE export AS SELECT row, {chosen} FROM (SELECT *, {number} FROM {reader}) WHERE {filled}"
        )
        rejects = workspace.connection.execute(
            "SELECT line, any_value(error_message) FROM reject_errors GROUP BY line ORDER BY line"
        ).fetchall()
    except duckdb.Error as error:
        raise ServiceError("source-unreadable", f"{source.name}: {error}") from error
    for line, message in rejects:
        workspace.report_unreadable(source, line, str(message).splitlines()[0])
    workspace.run("DROP TABLE IF EXISTS reject_errors")
    workspace.run("DROP TABLE IF EXISTS reject_scans")
    return set(places)


def _encoding(file: Path) -> str:
    """Return UTF-8 when the whole file is; Windows' Latin-1 otherwise."""
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")()
    with file.open("rb") as content:
        try:
            while piece := content.read(PIECE):
                decoder.decode(piece)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return "cp1252"
    return "utf-8-sig"


def _headings(lines: IO[str]) -> tuple[list[str], str]:
    first = lines.readline(MAX_LINE)
    if "\0" in first or "\x03" in first:
        raise csv.Error("no es un archivo de texto")
    delimiter = max(",;\t|", key=first.count)
    row = next(csv.reader([first], delimiter=delimiter), [])
    if not any(cell.strip() for cell in row):
        raise csv.Error("no tiene encabezados")
    if len(row) > MAX_COLUMNS:
        raise csv.Error(f"pasa de {MAX_COLUMNS} columnas")
    return row, delimiter


def _sheet_rows(file: Path, mapped: ColumnMap) -> Iterator[Iterable[str]]:
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        detail = "Los libros de Excel necesitan python-calamine: instale timbra[workbooks], o use CSV."
        raise ServiceError("source-unreadable", detail) from error
    try:
        with CalamineWorkbook.from_path(file) as workbook:
            name = mapped.sheet or workbook.sheet_names[0]
            for number, row in enumerate(workbook.get_sheet_by_name(name).iter_rows()):
                if number >= mapped.skip:
                    yield [_cell(value) for value in row]
    except (CalamineError, IndexError) as error:
        raise ServiceError("source-unreadable", f"{file.name}: {error}") from error


def _cell(value: object) -> str:
    """Return a cell as text; a number without the imprecision of its binary form."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else f"{value:.6f}"
    return str(value)
