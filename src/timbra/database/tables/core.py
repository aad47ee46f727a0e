"""Tables of the database itself: its environment, the cache version of each area, leases of periodic jobs."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Table, Text

from timbra.database.tables import METADATA
from timbra.database.tables.column_types import Instant

IDENTITY = Table(
    "identity",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

CACHE_VERSION = Table(
    "revision",
    METADATA,
    Column("area", Text, primary_key=True),
    Column("number", BigInteger, nullable=False),
)

LEASE = Table(
    "lease",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("holder", Text, nullable=False),
    Column("until", Instant, nullable=False),
)
