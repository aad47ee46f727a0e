"""Tables of the audit log: events, their chain of hashes, its signed heads, and counts of uses."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, LargeBinary, Table, Text

from timbra.database.tables import METADATA
from timbra.database.tables.column_types import AutoNumber, Instant

# Append-only. at: wall instant; fiscal_at: the same moment in fiscal time. actor_kind: `user`, `operator`, `server` or
# `anonymous`. actor: a user name. actor_account_id: the account of the actor. account_id: the account that the event is
# about. subject: a user, the identifier of a token, the number of a certificate, a folio. body: JSON text, of which the
# hash covers every byte. The tables have no foreign keys: the rows outlive what they are about, and PostgreSQL needs
# the privilege to update a table that a foreign key refers to.
AUDIT_EVENT = Table(
    "audit_event",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("at", Instant, nullable=False),
    Column("fiscal_at", Instant, nullable=False),
    Column("kind", Text, nullable=False),
    Column("actor_kind", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("actor_account_id", BigInteger),
    Column("account_id", BigInteger),
    Column("subject", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("request_id", Text, nullable=False),
    Column("body", Text, nullable=False),
    Index(None, "account_id", "id"),
    Index(None, "kind", "id"),
    Index(None, "actor", "id"),
    Index(None, "at"),
    sqlite_autoincrement=True,
)

# Events that are not in the chain yet.
AUDIT_PENDING = Table(
    "audit_pending",
    METADATA,
    Column("event_id", BigInteger, primary_key=True, autoincrement=False),
)

# Append-only. sequence: from 1, without gaps. hash: SHA-256 of the hash before, the sequence and the event.
AUDIT_LINK = Table(
    "audit_link",
    METADATA,
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("event_id", BigInteger, nullable=False, unique=True),
    Column("hash", LargeBinary, nullable=False),
)

# Append-only. The hash of the chain up to a sequence, signed with the key `key_id`. at: wall instant.
AUDIT_HEAD = Table(
    "audit_head",
    METADATA,
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("hash", LargeBinary, nullable=False),
    Column("at", Instant, nullable=False),
    Column("key_id", Text, nullable=False),
    Column("signature", LargeBinary, nullable=False),
)

# Ed25519. id: first 16 hexadecimal digits of the SHA-256 of the public key. sealed_key: encrypted with the master key.
AUDIT_KEY = Table(
    "audit_key",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("sealed_key", LargeBinary, nullable=False),
    Column("created_at", Instant, nullable=False),
)

# Uses of an interval that has not ended, which become one event each. started_at: of the interval. account_id: 0 for
# none. subject, address, actor: as in `audit_event`. outcome: an error code. request_id: of the first use.
AUDIT_COUNT = Table(
    "audit_count",
    METADATA,
    Column("kind", Text, primary_key=True),
    Column("started_at", Instant, primary_key=True),
    Column("account_id", BigInteger, primary_key=True, autoincrement=False),
    Column("actor", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("address", Text, primary_key=True),
    Column("outcome", Text, primary_key=True),
    Column("request_id", Text, nullable=False),
    Column("count", BigInteger, nullable=False),
    Column("first_at", Instant, nullable=False),
    Column("last_at", Instant, nullable=False),
)

APPEND_ONLY = (AUDIT_EVENT, AUDIT_LINK, AUDIT_HEAD)
AUDIT_TABLES = (*APPEND_ONLY, AUDIT_PENDING, AUDIT_KEY, AUDIT_COUNT)
