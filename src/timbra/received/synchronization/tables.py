"""Tables of the downloads from the SAT: what is synchronized, each request, and its packages."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
)

from timbra.database.feature_tables import FeatureTable
from timbra.database.tables import METADATA
from timbra.database.tables.column_types import AutoNumber, Instant

# One row for each side of a taxpayer. kind: `cfdi` or `retenciones`. is_issued: documents that the taxpayer issued.
# since, planned_until: local times, `YYYY-MM-DDTHH:MM:SS`; metadata of the issue dates from the first to the last was
# asked for, planned_until is NULL before the first request. refreshed_at: when metadata was asked for again. state:
# `active`, `stopped` by a user, or `blocked` by an answer of the SAT (reason) until resume_at, NULL for no end.
RECEIVED_SYNC = Table(
    "received_sync",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("account_id", BigInteger, nullable=False),
    Column("rfc", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("is_issued", Boolean, nullable=False),
    Column("since", Text, nullable=False),
    Column("planned_until", Text),
    Column("refreshed_at", Instant),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("resume_at", Instant),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("account_id", "rfc", "kind", "is_issued"),
    Index(None, "state"),
    sqlite_autoincrement=True,
)

# A question to the SAT. starts, ends: its bounds, unique for the taxpayer and the side, because the SAT counts equal
# ones for life, whatever is asked for. until: the end that is meant; ends is some seconds later when an equal question
# was asked before. state: see `BulkRequestState`. request_id: IdSolicitud. attempt: how often the period was asked for
# because of lost requests, at created_at first; failures: calls without an answer in a row. polls: verifications.
# documents: NumeroCFDIs.
RECEIVED_REQUEST = Table(
    "received_request",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("sync_id", BigInteger, ForeignKey(RECEIVED_SYNC.c.id), nullable=False),
    Column("account_id", BigInteger, nullable=False),
    Column("rfc", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("is_issued", Boolean, nullable=False),
    Column("is_metadata", Boolean, nullable=False),
    Column("starts", Text, nullable=False),
    Column("until", Text, nullable=False),
    Column("ends", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("request_id", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("failures", Integer, nullable=False),
    Column("polls", Integer, nullable=False),
    Column("code", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("documents", Integer, nullable=False),
    Column("due_at", Instant, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("sent_at", Instant),
    Column("finished_at", Instant),
    UniqueConstraint("rfc", "kind", "is_issued", "starts", "ends"),
    Index(None, "account_id", "rfc", "state", "due_at"),
    Index(None, "sync_id"),
    sqlite_autoincrement=True,
)

# A package of a request. state: see `BulkPackageState`. downloads: calls of the download, which the SAT limits to two.
# size: bytes of the stored file. documents: rows or XML that were read. broken: rows and files that could not be read,
# of which `samples` has the first. foreign: files of another kind, and documents of another taxpayer.
RECEIVED_PACKAGE = Table(
    "received_package",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("request", BigInteger, ForeignKey(RECEIVED_REQUEST.c.id), nullable=False),
    Column("account_id", BigInteger, nullable=False),
    Column("package_id", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("downloads", Integer, nullable=False),
    Column("failures", Integer, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("documents", Integer, nullable=False),
    Column("broken", Integer, nullable=False),
    Column("foreign", Integer, nullable=False),
    Column("samples", JSON, nullable=False),
    Column("message", Text, nullable=False),
    Column("due_at", Instant, nullable=False),
    UniqueConstraint("request", "package_id"),
    Index(None, "account_id", "state", "due_at"),
    sqlite_autoincrement=True,
)

# Rows are deleted in this order.
TABLES = (FeatureTable(RECEIVED_PACKAGE), FeatureTable(RECEIVED_REQUEST), FeatureTable(RECEIVED_SYNC))
