"""Rows of all tables as JSON values, equal for SQLite and PostgreSQL: a snapshot of the state of a sandbox."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Connection,
    Integer,
    LargeBinary,
    Table,
    Text,
    delete,
    func,
    select,
    text,
)
from sqlalchemy.exc import DataError, IntegrityError, StatementError

from timbra.accounts.vault.tables import EFIRMA
from timbra.database.feature_tables import feature_tables
from timbra.database.migrate import stored_version
from timbra.database.tables import METADATA
from timbra.database.tables.accounts import CSD, SECRET, TOTP
from timbra.database.tables.audit import AUDIT_KEY, AUDIT_TABLES
from timbra.database.tables.column_types import Instant, from_microseconds, to_microseconds
from timbra.database.tables.core import CACHE_VERSION, IDENTITY, LEASE
from timbra.database.tables.digests import ROW_DIGEST
from timbra.database.tables.operations import CATALOG_EDITION, CATALOG_USE, NODE
from timbra.database.tables.provider import KEY_USE, RECEPTION
from timbra.database.tables.stamps import STAMP, STAMP_CURSOR
from timbra.database.tables.webhooks import WEBHOOK
from timbra.sandbox.store.tables import SANDBOX_KEY, SANDBOX_MAIL

NOT_SAVED: Final = (*(found.table for found in feature_tables() if not found.is_saved), SANDBOX_MAIL)
"""Removed by a restore and not in snapshots: kept e-mails, as recorded calls, are of the state before."""
EXCLUDED: Final = frozenset(
    {CATALOG_EDITION, CATALOG_USE, IDENTITY, LEASE, KEY_USE, NODE, RECEPTION, ROW_DIGEST, *NOT_SAVED, *AUDIT_TABLES}
)
"""Not in snapshots: the environment of a database never changes, leases belong to the workers that run now, a sandbox
has no provider of its own, the audit log goes on, and digests are those of the rows that are stored."""
TABLES: Final = tuple(table for table in METADATA.sorted_tables if table not in EXCLUDED)
"""The tables of a snapshot, in an order in which rows may be inserted."""
SECRETS: Final = frozenset(
    {
        AUDIT_KEY.c.sealed_key,
        CSD.c.sealed_key,
        EFIRMA.c.sealed_key,
        SECRET.c.sealed,
        TOTP.c.sealed_secret,
        SANDBOX_KEY.c.sealed_key,
        WEBHOOK.c.sealed_secret,
        WEBHOOK.c.sealed_previous,
        *(column for found in feature_tables() for column in found.table.c if column.name.startswith("sealed")),
    }
)
"""Columns whose values are encrypted under the master key."""
CACHE_VERSIONS: Final = CACHE_VERSION.name
ROWS_READ = 500
ROWS_WRITTEN = 200
MAX_INTEGER = 2**63
Row = list[Any]


class SnapshotRowError(Exception):
    """A row of a snapshot does not fit its table."""


class SnapshotRepository:
    """Reads and replaces the rows of all tables, in the transaction of `connection`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def schema(self) -> str:
        """Return the migration of the database."""
        return stored_version(self._connection)

    def tables(self) -> Iterator[tuple[str, list[str], Iterator[Row]]]:
        """Yield name, columns and rows of each table; the rows are read from the database as they are consumed."""
        for table in TABLES:
            yield table.name, column_names(table), self._rows(table)

    def delete_all(self) -> None:
        """Delete the rows of all tables, except the cache versions, which only grow."""
        for table in (*NOT_SAVED, *reversed(TABLES)):
            if table is not CACHE_VERSION:
                self._connection.execute(delete(table))

    def cache_versions(self) -> Mapping[str, int]:
        """Return the stored cache version of each area."""
        return {row.area: row.number for row in self._connection.execute(select(CACHE_VERSION))}

    def insert(self, name: str, rows: Iterator[Row], accepts_secret: Callable[[bytes], bool]) -> int:
        """Insert the rows of a table, in batches; return how many.

        Args:
            name: The table, one of `TABLES` except that of the cache versions.
            rows: Values in the order of `column_names`.
            accepts_secret: Whether the master key decrypts a value; rows of which it does not are not inserted.

        Raises:
            SnapshotRowError: A row has other columns or types than the table, or contradicts another row.
            SnapshotSecretError: The master key does not decrypt a value.
        """
        table = METADATA.tables[name]
        columns = list(table.c)
        secrets = [column.key for column in columns if column in SECRETS]
        count = 0
        while batch := [_values(columns, row) for row in islice(rows, ROWS_WRITTEN)]:
            if not all(accepts_secret(values[key]) for values in batch for key in secrets):
                raise SnapshotSecretError
            try:
                self._connection.execute(table.insert(), batch)
            except (IntegrityError, DataError) as error:
                raise SnapshotRowError(name) from error
            except StatementError as error:
                if isinstance(error.orig, ValueError | OverflowError):
                    raise SnapshotRowError(name) from error
                raise
            count += len(batch)
        return count

    def advance_sequences(self) -> None:
        """Let numbers of new rows follow the inserted ones; SQLite counts by the rows."""
        if self._connection.dialect.name != "postgresql":
            return
        for table in TABLES:
            column = table.autoincrement_column
            if column is not None:
                name = func.pg_get_serial_sequence(table.name, column.name)
                self._advance(self._connection.execute(select(name)).scalar_one(), column)
        self._advance(STAMP_CURSOR.name, STAMP.c.cursor)

    def _advance(self, sequence: str, column: Column[Any]) -> None:
        """Set the sequence to the largest number, never back: numbers of deleted rows are not given again."""
        largest = self._connection.execute(select(func.max(column))).scalar_one()
        last = self._connection.execute(text(f"SELECT last_value FROM {sequence}")).scalar_one()  # noqa: S608
        if largest is not None and largest >= last:
            self._connection.execute(select(func.setval(sequence, largest)))

    def _rows(self, table: Table) -> Iterator[Row]:
        columns = list(table.c)
        query = select(table).order_by(*table.primary_key).execution_options(yield_per=ROWS_READ)
        for row in self._connection.execute(query):
            yield [_to_json(column, value) for column, value in zip(columns, row, strict=True)]


class SnapshotSecretError(Exception):
    """A value of a snapshot is encrypted under a master key that is not configured."""


def column_names(table: Table) -> list[str]:
    """Return the names of the columns of a table, in the order of the values of a row."""
    return [column.name for column in table.c]


def table_columns() -> Sequence[tuple[str, list[str]]]:
    """Return name and columns of each table of a snapshot, in order."""
    return [(table.name, column_names(table)) for table in TABLES]


def _to_json(column: Column[Any], value: Any) -> Any:
    if value is None:
        return None
    if isinstance(column.type, Instant):
        return to_microseconds(value)
    return b64encode(value).decode("ascii") if isinstance(column.type, LargeBinary) else value


def _values(columns: Sequence[Column[Any]], row: object) -> dict[str, Any]:
    if not isinstance(row, list) or len(row) != len(columns):
        raise SnapshotRowError(columns[0].table.name)
    return {column.key: _from_json(column, value) for column, value in zip(columns, row, strict=True)}


def _from_json(column: Column[Any], value: Any) -> Any:
    """Convert a value, and check its type, because SQLite would store any."""
    kind = column.type
    if value is None and column.nullable:
        return None
    try:
        if isinstance(kind, Instant) and _is_integer(value):
            return from_microseconds(value)
        if isinstance(kind, LargeBinary) and isinstance(value, str):
            return b64decode(value, validate=True)
    except (ValueError, OverflowError) as error:
        raise SnapshotRowError(column.table.name) from error
    is_valid = (
        (isinstance(kind, Boolean) and isinstance(value, bool))
        or (isinstance(kind, BigInteger | Integer) and _is_integer(value))
        or (isinstance(kind, Text) and isinstance(value, str))
        or (isinstance(kind, JSON) and value is not None)
    )
    if not is_valid:
        raise SnapshotRowError(column.table.name)
    return value


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -MAX_INTEGER <= value < MAX_INTEGER
