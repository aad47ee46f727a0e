"""Tables of the activity of an account: rejected requests, and usage by day."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, LargeBinary, Table, Text

from timbra.database.tables import METADATA
from timbra.database.tables.column_types import AutoNumber, Instant

# at: wall instant; fiscal_at: the same moment in fiscal time. operation: the path of the request. path, found,
# expected: of the finding, NULL when the rejection has none. RFCs, serie, folio: empty when the document could not be
# read. document_hash: SHA-256 in hexadecimal, empty without a document. document: compressed, NULL when not stored.
REJECTION = Table(
    "refusal",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("account_id", BigInteger, nullable=False),
    Column("at", Instant, nullable=False),
    Column("fiscal_at", Instant, nullable=False),
    Column("request_id", Text, nullable=False),
    Column("operation", Text, nullable=False),
    Column("code", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("path", Text),
    Column("found", Text),
    Column("expected", Text),
    Column("issuer_rfc", Text, nullable=False),
    Column("receiver_rfc", Text, nullable=False),
    Column("serie", Text, nullable=False),
    Column("folio", Text, nullable=False),
    Column("document_hash", Text, nullable=False),
    Column("document", LargeBinary),
    Index(None, "account_id", "at", "id"),
    Index(None, "account_id", "code", "at", "id"),
    Index(None, "account_id", "issuer_rfc", "at", "id"),
    Index(None, "account_id", "receiver_rfc", "at", "id"),
    Index(None, "account_id", "request_id"),
    Index(None, "at"),
    sqlite_autoincrement=True,
)

# day: fiscal, central Mexico, `YYYY-MM-DD`. stamps: those up to the cursor that `usage_progress` has counted.
USAGE_DAY = Table(
    "usage_day",
    METADATA,
    Column("account_id", BigInteger, primary_key=True, autoincrement=False),
    Column("day", Text, primary_key=True),
    Column("stamps", BigInteger, nullable=False),
    Column("refusals", BigInteger, key="rejections", nullable=False),
    sqlite_with_rowid=False,
)

# One row. counted: cursor up to which stamps are counted in `usage_day`. seen: the highest cursor at seen_at.
USAGE_PROGRESS = Table(
    "usage_progress",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("counted", BigInteger, nullable=False),
    Column("seen", BigInteger, nullable=False),
    Column("seen_at", Instant, nullable=False),
)
