"""The database of one reconciliation: DuckDB in a temporary folder, with bounded memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import orjson

from timbra.core.cpus import usable_cpus
from timbra.core.errors import ServiceError
from timbra.received.reconciliation.options import ReconciliationOptions
from timbra.received.reconciliation.run_models import SourceCount
from timbra.validation.tables import ACCOUNTING, DOCUMENTS, PAYMENTS, RELATIONS, Column, ColumnType, Row

SETTINGS = (
    "SET TimeZone = 'UTC'",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET enable_progress_bar = false",
)
_TYPES = {
    ColumnType.TEXT: "VARCHAR",
    ColumnType.INTEGER: "BIGINT",
    ColumnType.AMOUNT: "DECIMAL(38, 6)",
    ColumnType.LOCAL_TIME: "TIMESTAMP",
}


def _types(columns: tuple[Column, ...]) -> dict[str, str]:
    return {each.name: _TYPES[each.type] for each in columns if each.type in _TYPES and not each.is_joined}


XML_TABLES = {
    "documents": _types(DOCUMENTS),
    "accounting": _types(ACCOUNTING),
    "payments": _types(PAYMENTS),
    "relations": _types(RELATIONS),
}
"""Tables with the content of documents, types by column; a result folder of `timbra bulk` has the same columns."""
AMOUNT = "DECIMAL(24, 6)"
RATE = "DECIMAL(18, 6)"
PARTS = (
    "subtotal",
    "descuento",
    "iva",
    "ieps",
    "isr_retenido",
    "iva_retenido",
    "ieps_retenido",
    "traslados_locales",
    "retenciones_locales",
)
"""Columns of the breakdown of a total."""
_PARTS = ", ".join(f"{name} {AMOUNT}" for name in PARTS)
TABLES = (
    f"""CREATE TABLE metadata (uuid UUID, issuer_rfc VARCHAR, receiver_rfc VARCHAR, fecha TIMESTAMP, total {AMOUNT},
tipo VARCHAR, is_cancelled BOOLEAN, cancelled_at TIMESTAMP)""",
    "CREATE TABLE statuses (uuid VARCHAR, status VARCHAR, status_time TIMESTAMP WITH TIME ZONE)",
    f"""CREATE TABLE books (books VARCHAR, row BIGINT, uuid UUID, issuer_rfc VARCHAR, receiver_rfc VARCHAR,
fecha TIMESTAMP, total {AMOUNT}, total_mxn {AMOUNT}, moneda VARCHAR, tipo_cambio {RATE}, is_cancelled BOOLEAN,
cancelled_at TIMESTAMP, tipo VARCHAR, serie VARCHAR, folio VARCHAR, metodo VARCHAR, {_PARTS})""",
    f"""CREATE TABLE paid (row BIGINT, uuid UUID, rfc VARCHAR, fecha TIMESTAMP, monto {AMOUNT}, moneda VARCHAR,
tipo_cambio {RATE}, referencia VARCHAR)""",
    "CREATE TABLE substitutions (uuid UUID, related UUID)",
    "CREATE TABLE unreadable (source VARCHAR, row BIGINT, reason VARCHAR)",
)


@dataclass(slots=True)
class Workspace:
    """The database, and what was read into it.

    Attributes:
        folder: Folder of temporary files.
        has_erp, has_ledger, has_payments, has_sat: Which sources were read.
    """

    connection: duckdb.DuckDBPyConnection
    folder: Path
    options: ReconciliationOptions
    sources: list[SourceCount] = field(default_factory=list)
    has_sat: bool = False
    has_ledger: bool = False
    has_erp: bool = False
    has_payments: bool = False

    def run(self, sql: str, parameters: object = None) -> duckdb.DuckDBPyConnection:
        """Run a statement. Raises ServiceError: "reconciliation-failed" with the message of the database."""
        try:
            return self.connection.execute(sql, parameters)
        except duckdb.Error as error:
            raise ServiceError("reconciliation-failed", str(error)) from error

    def value(self, sql: str, parameters: object = None) -> Any:
        """Return the first value of a query."""
        row = self.run(sql, parameters).fetchone()
        return row[0] if row else None

    def insert(self, table: str, rows: Iterable[Row]) -> None:
        """Insert rows of a table of `XML_TABLES`; values of other columns are left out."""
        with self.rows_file(XML_TABLES[table], rows) as reader:
            self.run(f"INSERT INTO {table} BY NAME SELECT * FROM {reader}")

    @contextmanager
    def rows_file(self, types: Mapping[str, str], rows: Iterable[Row]) -> Iterator[str]:
        """Write rows to a temporary file; yield the function of SQL that reads it. `types`: Types by column."""
        path = self.folder / "rows.jsonl"
        with path.open("wb") as file:
            for row in rows:
                file.write(orjson.dumps({name: row.get(name) for name in types}, default=str) + b"\n")
        listed = ", ".join(f"'{name}': '{type_}'" for name, type_ in types.items())
        yield f"read_json('{quoted(str(path))}', format='newline_delimited', columns={{{listed}}})"
        path.unlink()

    def report_unreadable(self, source: SourceCount, row: int | None, reason: str) -> None:
        """Note a row or file that could not be read."""
        source.unreadable += 1
        self.run("INSERT INTO unreadable VALUES (?, ?, ?)", [source.name, row, reason])


@contextmanager
def open_workspace(options: ReconciliationOptions) -> Iterator[Workspace]:
    """Open an empty database, which is removed at the end.

    Raises:
        ServiceError: "reconciliation-failed" when the temporary folder has no room.
    """
    with tempfile.TemporaryDirectory(prefix="timbra-") as name:
        folder = Path(name)
        with duckdb.connect(str(folder / "reconciliation.duckdb")) as connection:
            for statement in SETTINGS:
                connection.execute(statement)
            connection.execute(f"SET memory_limit = '{options.memory}MiB'")
            connection.execute(f"SET threads = {usable_cpus()}")
            connection.execute(f"SET temp_directory = '{quoted(str(folder / 'spill'))}'")
            workspace = Workspace(connection, folder, options)
            _set_variables(workspace)
            for statement in TABLES:
                workspace.run(statement)
            for table, types in XML_TABLES.items():
                listed = ", ".join(f"{name} {type_}" for name, type_ in types.items())
                workspace.run(f"CREATE TABLE {table} ({listed})")
            yield workspace


def _set_variables(workspace: Workspace) -> None:
    options = workspace.options
    values: dict[str, str | date | Decimal | datetime] = {
        "rfc": options.rfc,
        "since": options.since or date.min,
        "until": options.until or date.max,
        "tolerance": options.tolerance,
    }
    for name, value in values.items():
        type_ = {str: "VARCHAR", Decimal: AMOUNT}.get(type(value), "DATE")
        workspace.run(f"SET VARIABLE {name} = CAST('{quoted(str(value))}' AS {type_})")


def quoted(text: str) -> str:
    """Return a text for the inside of an SQL literal."""
    return text.replace("'", "''")
