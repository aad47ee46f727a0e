"""Tables of the audit log: events, their chain of hashes, its signed heads, the transparency log, counts of uses."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, LargeBinary, SmallInteger, Table, Text, text

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

# Append-only. The leaves of the transparency log, from position 0 without gaps; the columns are those of
# `timbra.transparency.leaves.Leaf`. The migration gives the second index its condition on PostgreSQL.
IS_LINK = text("kind = 'audit'")
AUDIT_LEAF = Table(
    "audit_leaf",
    METADATA,
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("at", Instant, nullable=False),
    Column("sha256", LargeBinary, nullable=False),
    Index(None, "subject"),
    Index("ix_audit_leaf_link", "sequence", sqlite_where=IS_LINK),
)

# Append-only. hash: of a tile of 256 hashes of the level below; level 0 has the leaves.
AUDIT_NODE = Table(
    "audit_node",
    METADATA,
    Column("level", SmallInteger, primary_key=True, autoincrement=False),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("hash", LargeBinary, nullable=False),
)

# The newest checkpoint, and the newest one with cosignatures. size: its leaves. note: as clients get it.
AUDIT_CHECKPOINT = Table(
    "audit_checkpoint",
    METADATA,
    Column("size", BigInteger, primary_key=True, autoincrement=False),
    Column("note", Text, nullable=False),
)

# The last checkpoint of another log that this server cosigned. key: the verifier key of the log.
AUDIT_WITNESS = Table(
    "audit_witness",
    METADATA,
    Column("origin", Text, primary_key=True),
    Column("key", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("root", LargeBinary, nullable=False),
)

APPEND_ONLY = (AUDIT_EVENT, AUDIT_LINK, AUDIT_HEAD, AUDIT_LEAF, AUDIT_NODE)
AUDIT_TABLES = (*APPEND_ONLY, AUDIT_PENDING, AUDIT_KEY, AUDIT_COUNT, AUDIT_CHECKPOINT, AUDIT_WITNESS)
