"""Tables of what a provider hands over: availability by day, and the manifests that issuers signed."""

from __future__ import annotations

from sqlalchemy import Column, Integer, LargeBinary, Table, Text

from timbra.store.tables import METADATA
from timbra.store.tables.column_types import Instant

# Probes by day of central Mexico, `YYYY-MM-DD`: minutes in which a worker was ready, and in which it was not. A minute
# without a running node has no probe.
AVAILABILITY_DAY = Table(
    "availability_day",
    METADATA,
    Column("day", Text, primary_key=True),
    Column("ready", Integer, nullable=False),
    Column("unready", Integer, nullable=False),
)

# Issuers who authorised the delivery of their CFDI to the SAT. signed_at: as the operator tells; registered_at: wall
# instant. document: the signed document as it was given. digest: its SHA-256 in hexadecimal.
MANIFEST = Table(
    "manifest",
    METADATA,
    Column("issuer_rfc", Text, primary_key=True),
    Column("signed_at", Instant, nullable=False),
    Column("registered_at", Instant, nullable=False),
    Column("file_name", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("document", LargeBinary, nullable=False),
)
