"""Tables of a result folder as Arrow schemas; `timbra.validation.tables` has the columns of reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from timbra.validation.arrow_tables import batch_of, schema_of
from timbra.validation.tables import METADATA, SCHEMA_VERSION, TABLES, Column, ColumnType, Row

VERSION_KEY = b"timbra.schema_version"

STATUSES = (
    Column("uuid", ColumnType.TEXT, "UUID of the document, in lower case."),
    Column("status", ColumnType.TEXT, "Status: `Vigente`, `Cancelado` or `No Encontrado`."),
    Column("cancelable", ColumnType.TEXT, "EsCancelable."),
    Column("cancellation", ColumnType.TEXT, "EstatusCancelacion."),
    Column("efos", ColumnType.TEXT, "ValidacionEFOS."),
    Column("status_time", ColumnType.INSTANT, "Instant of the answer."),
)

STAMPS = (
    Column("document_id", ColumnType.INTEGER, "Position of the document in the plan of the run, from 0."),
    Column("source", ColumnType.TEXT, "Path or URL of the file, member of an archive, or line of a file."),
    Column("sha256", ColumnType.TEXT, "SHA-256 of the document that was sent, in hexadecimal digits."),
    Column("custom_id", ColumnType.TEXT, "The header customid of the request, derived from the document."),
    Column("result", ColumnType.TEXT, "`stamped`, `repeated` (stamped earlier), `rejected` or `unreadable`."),
    Column("uuid", ColumnType.TEXT, "UUID of the stamp, in lower case."),
    Column("file", ColumnType.TEXT, "The stamped document, or the file with the rejected one, in the result folder."),
    Column("pdf", ColumnType.TEXT, "The printed document, below the result folder."),
    Column("code", ColumnType.TEXT, "Code of the rejection; of a stamped document, of the rejection of its print."),
    Column("message", ColumnType.TEXT, "Message of the rejection."),
    Column("detail", ColumnType.TEXT, "Detail of the rejection."),
)

ALL_TABLES: Mapping[str, tuple[Column, ...]] = {
    **TABLES,
    "metadata": METADATA,
    "statuses": STATUSES,
    "stamps": STAMPS,
}
OPTIONAL_TABLES = ("concepts", "payments", "accounting", "relations")
"""Tables that a run writes on request."""


def arrow_schema(table: str) -> pa.Schema:
    """Return the schema of the stored columns of a table; the version of the schema is in its metadata."""
    return schema_of(ALL_TABLES[table], {VERSION_KEY: str(SCHEMA_VERSION).encode()})


SCHEMAS = {name: arrow_schema(name) for name in ALL_TABLES}


def to_batch(table: str, rows: Sequence[Row]) -> pa.RecordBatch:
    """Return rows as a batch; columns that a row does not have are null, and joined columns are left out."""
    return batch_of(SCHEMAS[table], rows)
