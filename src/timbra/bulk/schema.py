"""Tables of a result folder as Arrow schemas; `timbra.validation.tables` has the columns of reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from timbra.validation.tables import AMOUNT_DECIMALS, SCHEMA_VERSION, TABLES, Column, ColumnType, Row

VERSION_KEY = b"timbra.schema_version"

METADATA = (
    Column("source", ColumnType.TEXT, "Metadata file of the SAT's mass download."),
    Column("uuid", ColumnType.TEXT, "UUID of the document, in lower case."),
    Column("issuer_rfc", ColumnType.TEXT, "RfcEmisor."),
    Column("issuer_name", ColumnType.TEXT, "NombreEmisor."),
    Column("receiver_rfc", ColumnType.TEXT, "RfcReceptor."),
    Column("receiver_name", ColumnType.TEXT, "NombreReceptor."),
    Column("provider_rfc", ColumnType.TEXT, "RfcPac."),
    Column("fecha", ColumnType.LOCAL_TIME, "FechaEmision."),
    Column("fecha_timbrado", ColumnType.LOCAL_TIME, "FechaCertificacionSat."),
    Column("total", ColumnType.AMOUNT, "Monto."),
    Column("tipo_de_comprobante", ColumnType.TEXT, "EfectoComprobante: I, E, T, N or P."),
    Column("status", ColumnType.TEXT, "Estatus as a word: `Vigente` for 1, `Cancelado` for 0."),
    Column("cancelled_at", ColumnType.LOCAL_TIME, "FechaCancelacion."),
)

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
OPTIONAL_TABLES = ("concepts", "payments")
"""Tables that a run writes on request."""

_TYPES = {
    ColumnType.TEXT: pa.string(),
    ColumnType.TEXTS: pa.list_(pa.field("element", pa.string())),
    ColumnType.INTEGER: pa.int64(),
    ColumnType.AMOUNT: pa.decimal128(38, AMOUNT_DECIMALS),
    ColumnType.LOCAL_TIME: pa.timestamp("ms"),
    ColumnType.INSTANT: pa.timestamp("ms", tz="UTC"),
}


def arrow_schema(table: str) -> pa.Schema:
    """Return the schema of the stored columns of a table; the version of the schema is in its metadata."""
    fields = [pa.field(column.name, _TYPES[column.type]) for column in ALL_TABLES[table] if not column.is_joined]
    return pa.schema(fields, metadata={VERSION_KEY: str(SCHEMA_VERSION).encode()})


SCHEMAS = {name: arrow_schema(name) for name in ALL_TABLES}


def to_batch(table: str, rows: Sequence[Row]) -> pa.RecordBatch:
    """Return rows as a batch; columns that a row does not have are null, and joined columns are left out."""
    schema = SCHEMAS[table]
    columns: list[Any] = []
    for name, type_ in zip(schema.names, schema.types, strict=True):
        columns.append(pa.array([row.get(name) for row in rows], type_))
    return pa.RecordBatch.from_arrays(columns, schema=schema)
