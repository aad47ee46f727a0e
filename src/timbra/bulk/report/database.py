"""The tables of a result folder as views of DuckDB, in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb

from timbra.bulk.locations import file_system, is_remote
from timbra.bulk.result_folder import ResultFolder
from timbra.bulk.schema import ALL_TABLES, SCHEMAS
from timbra.core.errors import ServiceError
from timbra.validation.tables import SCHEMA_VERSION

if TYPE_CHECKING:
    from timbra.bulk.report.queries import Query

FETCHED_ROWS = 10_000
"""Rows of a stream that are in memory."""
DOCUMENTS_VIEW = """
CREATE VIEW documents AS
SELECT stored.*, s.status, s.cancelable, s.cancellation, s.status_time, r.duplicate_of
FROM stored_documents stored
LEFT JOIN newest_statuses s ON s.uuid = stored.uuid
LEFT JOIN repeated r ON r.document_id = stored.document_id
"""
NEWEST_STATUSES = """
CREATE TABLE newest_statuses AS
SELECT DISTINCT ON (uuid) * FROM statuses ORDER BY uuid, status_time DESC
"""
REPEATED = """
CREATE TABLE repeated AS
SELECT d.document_id, f.first AS duplicate_of
FROM stored_documents d
JOIN (SELECT uuid, min(document_id) AS first FROM stored_documents
      WHERE uuid IS NOT NULL GROUP BY uuid HAVING count(*) > 1) f ON f.uuid = d.uuid
WHERE d.document_id > f.first
"""


@dataclass(frozen=True, slots=True)
class Table:
    """The result of a query.

    Attributes:
        columns: names.
        rows: values: text, numbers, Decimal, datetime, bool, list or None.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


class ResultDatabase:
    """Runs queries over the views of one result folder."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def run(self, sql: str) -> Table:
        """Run a query. Raises ServiceError: `bulk-query` with DuckDB's message."""
        try:
            cursor = self._connection.execute(sql)
            return Table(tuple(column[0] for column in cursor.description or ()), cursor.fetchall())
        except duckdb.Error as error:
            raise ServiceError("bulk-query", str(error)) from error

    def stream(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query that are too many for the memory.

        Raises:
            ServiceError: `bulk-query` with DuckDB's message.
        """
        with self._connection.cursor() as cursor:
            try:
                cursor.execute(sql)
                while rows := cursor.fetchmany(FETCHED_ROWS):
                    yield from rows
            except duckdb.Error as error:
                raise ServiceError("bulk-query", str(error)) from error

    def run_report(self, query: Query) -> Table:
        """Run a query of the report; the columns have Spanish headings."""
        return Table(query.columns, self.run(query.sql).rows)


@contextmanager
def open_database(folder: ResultFolder) -> Iterator[ResultDatabase]:
    """Open the views `documents`, `findings`, `concepts`, `payments`, `metadata` and `statuses` of a folder.

    Raises:
        ServiceError: `bulk-folder` for a folder without a run, or with tables of another version.
    """
    version = folder.description().get("schema_version")
    if version != SCHEMA_VERSION:
        text = f"{folder.location}: las tablas son de la versión {version}; este programa lee la {SCHEMA_VERSION}"
        raise ServiceError("bulk-folder", text)
    with duckdb.connect(":memory:") as connection:
        connection.execute("SET TimeZone = 'UTC'")
        if is_remote(folder.location):
            connection.register_filesystem(file_system(folder.location)[0])
        for table in ALL_TABLES:
            name = "stored_documents" if table == "documents" else table
            files = folder.files(table)
            if files:
                connection.from_parquet(files).create_view(name)
            else:
                connection.from_arrow(SCHEMAS[table].empty_table()).create(name)
        for statement in (NEWEST_STATUSES, REPEATED, DOCUMENTS_VIEW):
            connection.execute(statement)
        yield ResultDatabase(connection)
