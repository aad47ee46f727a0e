"""Tables of logins: limits of failures, addresses from which accounts logged in, and pending security notices."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, Table, Text

from timbra.database.tables import METADATA
from timbra.database.tables.accounts import ACCOUNT
from timbra.database.tables.column_types import Instant

# A leaky bucket of failures (GCRA). key: the kind of the limit and hashes of what it counts, never a name that somebody
# typed. drained_at: the bucket is empty from then on. blocked_until: NULL while the limit is not exceeded. expires_at:
# the row has no effect any more.
LOGIN_LIMIT = Table(
    "login_limit",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("drained_at", Instant, nullable=False),
    Column("blocked_until", Instant),
    Column("expires_at", Instant, nullable=False),
    Index(None, "expires_at"),
)

# origin: an address as `timbra.pools.address_account` names it. seen_at: a login of about that time.
KNOWN_ORIGIN = Table(
    "known_origin",
    METADATA,
    Column("account_id", BigInteger, ForeignKey(ACCOUNT.c.id), primary_key=True, autoincrement=False),
    Column("origin", Text, primary_key=True),
    Column("seen_at", Instant, nullable=False),
    Index(None, "seen_at"),
)

# E-mails about the security of an account, until they are sent. subject: kind and account. body: the text.
# due_at, attempts, failure: as in `letter`.
NOTICE = Table(
    "notice",
    METADATA,
    Column("subject", Text, primary_key=True),
    Column("recipient", Text, primary_key=True),
    Column("account_id", BigInteger, ForeignKey(ACCOUNT.c.id), nullable=False),
    Column("body", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("due_at", Instant),
    Column("attempts", Integer, nullable=False),
    Column("failure", Text, nullable=False),
    Index(None, "due_at"),
)
