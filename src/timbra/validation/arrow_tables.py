"""Rows of the tables of validation results as Arrow batches; needs the library `pyarrow`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from timbra.validation.table_schema import AMOUNT_DECIMALS, Column, ColumnType, Row

_TYPES = {
    ColumnType.TEXT: pa.string(),
    ColumnType.TEXTS: pa.list_(pa.field("element", pa.string())),
    ColumnType.INTEGER: pa.int64(),
    ColumnType.AMOUNT: pa.decimal128(38, AMOUNT_DECIMALS),
    ColumnType.LOCAL_TIME: pa.timestamp("ms"),
    ColumnType.INSTANT: pa.timestamp("ms", tz="UTC"),
}


def schema_of(columns: Iterable[Column], metadata: Mapping[bytes, bytes] | None = None) -> pa.Schema:
    """Return the schema of the stored columns of a table."""
    fields = [pa.field(column.name, _TYPES[column.type]) for column in columns if not column.is_joined]
    return pa.schema(fields, metadata=metadata)


def batch_of(schema: pa.Schema, rows: Sequence[Row]) -> pa.RecordBatch:
    """Return rows as a batch; columns that a row does not have are null, and columns of no schema are left out."""
    columns = [
        pa.array([row.get(name) for row in rows], type_) for name, type_ in zip(schema.names, schema.types, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
