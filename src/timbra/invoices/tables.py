"""Tables of invoices by hand: drafts, and what an account has used."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, Index, Table, Text

from timbra.database.feature_tables import FeatureTable
from timbra.database.tables import METADATA
from timbra.database.tables.column_types import AutoNumber, Instant

# changed_at: wall instant. label: the receiver. total: Total with its currency; empty without one. content: the fields.
INVOICE_DRAFT = Table(
    "invoice_draft",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("account_id", BigInteger, nullable=False),
    Column("changed_at", Instant, nullable=False),
    Column("label", Text, nullable=False),
    Column("total", Text, nullable=False),
    Column("content", JSON, nullable=False),
    Index(None, "account_id", "changed_at", "id"),
    sqlite_autoincrement=True,
)

# What stamped invoices had. kind: `customer`, `product` or `issuer`. key: the RFC, or the description of a product.
# used_at: wall instant of the last use. content: the fields.
INVOICE_ENTRY = Table(
    "invoice_entry",
    METADATA,
    Column("account_id", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("used_at", Instant, nullable=False),
    Column("content", JSON, nullable=False),
    Index(None, "account_id", "kind", "used_at"),
)

TABLES = (FeatureTable(INVOICE_DRAFT), FeatureTable(INVOICE_ENTRY))
