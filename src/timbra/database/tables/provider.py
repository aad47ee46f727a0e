"""Tables of a provider: uses of its keys, and the answers of the SAT to its deliveries."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, Index, Integer, LargeBinary, Table, Text

from timbra.database.tables import METADATA
from timbra.database.tables.column_types import Instant

# Signatures of all nodes. number: of the certificate. day: ISO 8601, UTC.
KEY_USE = Table(
    "key_use",
    METADATA,
    Column("day", Text, primary_key=True),
    Column("number", Text, primary_key=True),
    Column("signatures", BigInteger, nullable=False),
)

# A service that does not receive stamps now. service: cfdi, retenciones. code: of the last failure.
DELIVERY_OUTAGE = Table(
    "delivery_outage",
    METADATA,
    Column("service", Text, primary_key=True),
    Column("since", Instant, nullable=False),
    Column("code", Text, nullable=False),
    Column("reason", Text, nullable=False),
)

# A stamp that the SAT answered; one that waits is in `outbox` only. state: received, received-with-incidencia, late,
# rejected. status: CodEstatus. incidencias: a list of {code, message}. acuse: the whole XML, as received.
RECEPTION = Table(
    "reception",
    METADATA,
    Column("uuid", Text, primary_key=True),
    Column("account_id", BigInteger, nullable=False),
    Column("issuer_rfc", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("stamped_at", Instant, nullable=False),
    Column("uploaded_at", Instant, nullable=False),
    Column("acknowledged_at", Instant, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("incidencias", JSON, nullable=False),
    Column("acuse", LargeBinary, nullable=False),
    Index(None, "acknowledged_at"),
    Index(None, "state", "acknowledged_at"),
)
