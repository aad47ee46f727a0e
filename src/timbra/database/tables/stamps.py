"""Tables of stamps: stamps, customids, keys of confirmation, the outbox of deliveries, the event log."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    Sequence,
    SmallInteger,
    Table,
    Text,
    false,
    text,
)

from timbra.database.tables import METADATA
from timbra.database.tables.column_types import AutoNumber, Instant

# On PostgreSQL each month of `fecha` is a table, see `timbra.stamps.partitions`. The seal hash is the only unique key,
# that of each table: the seal signs `fecha`. `cursor` grows with every stamp and orders the pages of lists; on SQLite
# it is counted under the write lock.
STAMP = Table(
    "stamp",
    METADATA,
    Column("seal_hash", LargeBinary, primary_key=True),
    Column("cursor", BigInteger, nullable=False),
    Column("uuid", Text, nullable=False),
    Column("account_id", BigInteger, nullable=False),
    Column("environment", Text, nullable=False),
    Column("request_id", Text, nullable=False),
    Column("stamped_at", Instant, nullable=False),
    Column("version", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("serie", Text, nullable=False),
    Column("folio", Text, nullable=False),
    Column("fecha", Text, nullable=False),
    Column("issuer_rfc", Text, nullable=False),
    Column("receiver_rfc", Text, nullable=False),
    Column("total", Text, nullable=False),
    Column("issuer_certificate", Text, nullable=False),
    Column("provider_certificate", Text, nullable=False),
    Column("rule_set", Text, nullable=False),
    Column("data_version", Text, nullable=False),
    Column("lists_version", Text, nullable=False),
    Column("cfdi", LargeBinary, nullable=False),
    Index(None, "uuid"),
    Index(None, "cursor"),
    Index(None, "account_id", "cursor"),
    # Periods of an account. Lists and searches read `listed_document`.
    Index(None, "account_id", "stamped_at", "cursor"),
)
STAMP_CURSOR = Sequence("stamp_cursor", metadata=METADATA)

# A customid is stored as its SHA-256: it has up to 300 characters and is only compared.
CUSTOM_ID = Table(
    "custom_id",
    METADATA,
    Column("account_id", BigInteger, primary_key=True, autoincrement=False),
    Column("id_hash", LargeBinary, primary_key=True),
    Column("seal_hash", LargeBinary, nullable=False),
    Column("stamped_at", Instant, nullable=False),
    sqlite_with_rowid=False,
)

# Keys of Confirmacion that the provider issued to `rfc`. account_id: who requested it, NULL for the operator.
# issued_at: wall instant. uuid: folio of the stamp that used it, NULL before.
CONFIRMATION = Table(
    "confirmation",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("rfc", Text, nullable=False),
    Column("account_id", BigInteger),
    Column("issued_at", Instant, nullable=False),
    Column("uuid", Text),
    Index(None, "account_id"),
)

# One pending delivery of a kind for a subject. due_at: not before this wall instant; a worker that leases a row moves
# it to the end of the lease. dead: a dead letter, because a retry cannot succeed; a row that has no attempts left is a
# dead letter as well. reason: why the last attempt failed, NULL before the first failure.
OUTBOX = Table(
    "outbox",
    METADATA,
    Column("kind", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("created_at", Instant, nullable=False),
    Column("due_at", Instant, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("dead", Boolean, nullable=False, server_default=false()),
    Column("reason", Text),
    Index(None, "kind", "due_at", "subject"),
    sqlite_with_rowid=False,
)

# Cancellation events are looked up by folio; other events are not. The migration gives the index this condition on
# PostgreSQL; an option here would import its dialect into every process, a fiftieth of the start of a server.
IS_CANCELLATION = text("kind LIKE 'cancellation.%'")
IS_RECEIVED = text("kind LIKE 'received.%'")
"""The same of changes of received documents, which are listed by account."""

# Append-only. at: wall instant; fiscal_at: the same moment in fiscal time. format: which consumers read the event from
# the log; NULL for an event of a program before them, which wrote what follows from it in the same transaction.
EVENT = Table(
    "event",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("at", Instant, nullable=False),
    Column("fiscal_at", Instant, nullable=False),
    Column("account_id", BigInteger),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("request_id", Text, nullable=False),
    Column("body", JSON, nullable=False),
    Column("format", SmallInteger),
    Index("ix_event_cancellation", "subject", sqlite_where=IS_CANCELLATION),
    Index("ix_event_received", "account_id", "id", sqlite_where=IS_RECEIVED),
)

# The cursors of the consumers of the event log. position: the highest number that was read. gaps: the lower numbers
# that may still be committed, see `timbra.events.dispatcher`. turn: grows with each change.
EVENT_CONSUMER = Table(
    "event_consumer",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("position", BigInteger, nullable=False),
    Column("gaps", Text, nullable=False),
    Column("turn", BigInteger, nullable=False),
)

# Requests that clients signed. digest: SHA-256 of the signed content. account_id: the account that sent it first. at:
# wall instant.
SIGNED_REQUEST = Table(
    "signed_request",
    METADATA,
    Column("digest", LargeBinary, primary_key=True),
    Column("account_id", BigInteger, nullable=False),
    Column("at", Instant, nullable=False),
    Index(None, "at"),
)
