"""Tables of the request inspector: recorded calls of the API, and how many calls were not recorded."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, Table, Text

from timbra.database.feature_tables import FeatureTable
from timbra.database.tables import METADATA
from timbra.database.tables.column_types import AutoNumber, Instant

# id: grows in the order of the commits. at: wall instant of the answer. operation: name in the table of operations,
# "unknown" without one. code: empty for success. microseconds: duration. keywords: lower-case text of the search.
# RFCs: empty when the call has no document. content: headers and bodies without secrets, compressed JSON.
API_CALL = Table(
    "api_call",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("account_id", BigInteger, nullable=False),
    Column("at", Instant, nullable=False),
    Column("request_id", Text, nullable=False),
    Column("method", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("operation", Text, nullable=False),
    Column("status", Integer, nullable=False),
    Column("code", Text, nullable=False),
    Column("microseconds", BigInteger, nullable=False),
    Column("request_bytes", BigInteger, nullable=False),
    Column("response_bytes", BigInteger, nullable=False),
    Column("issuer_rfc", Text, nullable=False),
    Column("receiver_rfc", Text, nullable=False),
    Column("keywords", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Index(None, "account_id", "id"),
    Index(None, "at"),
    sqlite_autoincrement=True,
)

# Calls that were answered and not recorded, because more arrived than the inspector writes. last_at: the newest.
API_CALL_DROPPED = Table(
    "api_call_dropped",
    METADATA,
    Column("account_id", BigInteger, primary_key=True, autoincrement=False),
    Column("calls", BigInteger, nullable=False),
    Column("last_at", Instant, nullable=False),
)

TABLES = (FeatureTable(API_CALL, is_saved=False), FeatureTable(API_CALL_DROPPED, is_saved=False))
