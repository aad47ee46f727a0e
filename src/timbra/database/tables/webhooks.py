"""Tables of webhooks: endpoints of accounts, events, their deliveries, and the log of attempts."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, LargeBinary, Table, Text

from timbra.database.tables import METADATA
from timbra.database.tables.accounts import ACCOUNT
from timbra.database.tables.column_types import AutoNumber, Instant

AREA = "webhooks"
"""The area of the cache version that changes with every endpoint."""

# format: `events`, or `sw-batch` for the notification of SW's batch service. events: kinds separated by blanks.
# sealed_secret: encrypted for this endpoint; of `sw-batch`, user and password. sealed_previous: until previous_until.
# failures: attempts since the last success. failing_since: the first of them. paused_until: no delivery before it.
# disabled_reason: empty, `account`, or `failing` for an endpoint that the server disabled.
WEBHOOK = Table(
    "webhook",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("account_id", BigInteger, ForeignKey(ACCOUNT.c.id), nullable=False),
    Column("url", Text, nullable=False),
    Column("format", Text, nullable=False),
    Column("events", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("enabled", Boolean, nullable=False),
    Column("disabled_reason", Text, nullable=False),
    Column("sealed_secret", LargeBinary, nullable=False),
    Column("sealed_previous", LargeBinary),
    Column("previous_until", Instant),
    Column("created_at", Instant, nullable=False),
    Column("failures", Integer, nullable=False),
    Column("failing_since", Instant),
    Column("paused_until", Instant),
    Column("succeeded_at", Instant),
    Index(None, "account_id"),
)

# subject: a folio, a batch, the number of a certificate; empty without one. body: the JSON that is signed and sent.
WEBHOOK_EVENT = Table(
    "webhook_event",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("account_id", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("body", Text, nullable=False),
    Index(None, "subject"),
    Index(None, "created_at"),
)

# One row per event and endpoint until it is delivered. due_at: not before this wall instant, also the end of the lease
# of the worker that sends it; NULL for a dead letter. failure: why the last attempt failed.
WEBHOOK_DELIVERY = Table(
    "webhook_delivery",
    METADATA,
    Column("event_id", Text, primary_key=True),
    Column("webhook_id", Text, primary_key=True),
    Column("created_at", Instant, nullable=False),
    Column("due_at", Instant),
    Column("attempts", Integer, nullable=False),
    Column("failure", Text, nullable=False),
    Index(None, "due_at"),
    Index(None, "webhook_id"),
    sqlite_with_rowid=False,
)

# The log of deliveries. delivery_id: the header `Timbra-Delivery-Id`. status: of HTTP, NULL without an answer. answer:
# the beginning of the answer's body, or why there was none.
WEBHOOK_ATTEMPT = Table(
    "webhook_attempt",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("delivery_id", Text, nullable=False),
    Column("event_id", Text, nullable=False),
    Column("webhook_id", Text, nullable=False),
    Column("at", Instant, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("status", Integer),
    Column("delivered", Boolean, nullable=False),
    Column("answer", Text, nullable=False),
    Column("milliseconds", Integer, nullable=False),
    Index(None, "webhook_id", "id"),
    Index(None, "at"),
)

# Conditions of which an account was notified and that last: a low balance, a certificate that expires soon.
WEBHOOK_ALERT = Table(
    "webhook_alert",
    METADATA,
    Column("account_id", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("at", Instant, nullable=False),
)
