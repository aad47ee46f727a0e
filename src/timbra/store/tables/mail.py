"""The table of letters: stamped CFDI that somebody asked to be mailed."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, Table, Text

from timbra.store.tables import METADATA
from timbra.store.types import Instant

# One row per CFDI and recipient until it is delivered. due_at: not before this wall instant, and the lease of whoever
# has taken it; NULL when nobody tries any more. failure: why the last attempt failed, empty before the first one.
LETTER = Table(
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
