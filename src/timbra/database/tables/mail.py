"""The table of the e-mail outbox: stamped CFDI and their recipients."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, Table, Text

from timbra.database.tables import METADATA
from timbra.database.tables.column_types import Instant

# One row per CFDI and recipient until it is delivered. due_at: not before this wall instant, also the end of the lease
# of the worker that sends it; NULL for a dead letter. failure: why the last attempt failed, empty before the first one.
EMAIL_OUTBOX = Table(
    "letter",
    METADATA,
    Column("uuid", Text, primary_key=True),
    Column("recipient", Text, primary_key=True),
    Column("account_id", BigInteger, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("due_at", Instant),
    Column("attempts", Integer, nullable=False),
    Column("failure", Text, nullable=False),
    Index(None, "due_at"),
    sqlite_with_rowid=False,
)
