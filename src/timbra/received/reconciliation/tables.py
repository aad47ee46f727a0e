"""Tables of the reconciliations that accounts order: their files until they are done, and their differences."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
)

from timbra.database.feature_tables import FeatureTable
from timbra.database.tables import METADATA
from timbra.database.tables.column_types import AutoNumber, Instant

# submission: key of the form or request that ordered it. state: queued, running, done, failed. options: what is
# compared, see `timbra.received.reconciliation.run_models.RunOptions`. summary: its numbers, NULL before the end.
# failure: why it failed, in Spanish. due_at: not before this wall instant, also the end of the lease of the process
# that runs it; NULL at the end. attempts: leases.
RECONCILIATION = Table(
    "reconciliation",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("account_id", BigInteger, nullable=False),
    Column("submission", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("finished_at", Instant),
    Column("state", Text, nullable=False),
    Column("options", JSON, nullable=False),
    Column("summary", JSON),
    Column("failure", Text, nullable=False),
    Column("due_at", Instant),
    Column("attempts", Integer, nullable=False),
    UniqueConstraint("account_id", "submission"),
    Index(None, "account_id", "created_at", "id"),
    Index(None, "due_at"),
    Index(None, "created_at"),
    sqlite_autoincrement=True,
)

# The uploaded files in compressed pieces, until the reconciliation ends. place: position of the file in the options.
RECONCILIATION_FILE = Table(
    "reconciliation_file",
    METADATA,
    Column("reconciliation_id", BigInteger, ForeignKey(RECONCILIATION.c.id), primary_key=True, autoincrement=False),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
)

# Differences of one kind, in their order, as compressed JSON.
RECONCILIATION_PART = Table(
    "reconciliation_part",
    METADATA,
    Column("reconciliation_id", BigInteger, ForeignKey(RECONCILIATION.c.id), primary_key=True, autoincrement=False),
    Column("kind", Text, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
)

TABLES = (
    FeatureTable(RECONCILIATION),
    FeatureTable(RECONCILIATION_FILE, (RECONCILIATION_FILE.c.reconciliation_id, RECONCILIATION.c.id)),
    FeatureTable(RECONCILIATION_PART, (RECONCILIATION_PART.c.reconciliation_id, RECONCILIATION.c.id)),
)
