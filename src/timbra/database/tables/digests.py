"""The table of digests of rows, which the check of a data folder compares."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, LargeBinary, Table, Text, text

from timbra.database.tables import METADATA

DIGESTS_PER_ROW = 256
IS_PENDING = text("length(digests) = 0")

# Digests of the rows of a table, see `timbra.fsck.row_digests`; empty when rows changed since they were made, by
# triggers. place: the table. number: of DIGESTS_PER_ROW rows with successive numbers; 0 for a row with another key.
# key: that key as text.
ROW_DIGEST = Table(
    "row_digest",
    METADATA,
    Column("place", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("key", Text, primary_key=True),
    Column("digests", LargeBinary, nullable=False),
    Index("ix_row_digest_pending", "place", "number", "key", sqlite_where=IS_PENDING),
    sqlite_with_rowid=False,
)
