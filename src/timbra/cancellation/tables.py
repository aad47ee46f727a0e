"""Table of the requests of cancellation whose outcome the SAT decides later."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Table, Text

from timbra.database.feature_tables import FeatureTable
from timbra.database.tables import METADATA
from timbra.database.tables.column_types import Instant

# Stamps of this server whose cancellation the SAT accepted and has not decided. requested_at, due_at: wall instants of
# the acceptance and of the next query. motive, substitute: of the request. request_id: of the HTTP request.
CANCELLATION_QUERY = Table(
    "cancellation_query",
    METADATA,
    Column("uuid", Text, primary_key=True),
    Column("account_id", BigInteger, nullable=False),
    Column("requested_at", Instant, nullable=False),
    Column("due_at", Instant, nullable=False, index=True),
    Column("motive", Text, nullable=False),
    Column("substitute", Text, nullable=False),
    Column("request_id", Text, nullable=False),
)

TABLES = (FeatureTable(CANCELLATION_QUERY, is_saved=False),)
