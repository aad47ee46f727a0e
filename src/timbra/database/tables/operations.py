"""Tables of the operation: availability, nodes, manifests of issuers, archives, and editions of catalogs."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, Integer, LargeBinary, Table, Text

from timbra.database.tables import METADATA
from timbra.database.tables.column_types import AutoNumber, Instant

# Probes by day of central Mexico, `YYYY-MM-DD`: minutes in which a worker was ready, and in which it was not. A minute
# without a running node has no probe.
AVAILABILITY_DAY = Table(
    "availability_day",
    METADATA,
    Column("day", Text, primary_key=True),
    Column("ready", Integer, nullable=False),
    Column("unready", Integer, nullable=False),
)

# What each node of an installation reports of itself twice a minute. seen_at: wall instant. body: see
# `timbra.operations.nodes.NodeView`.
NODE = Table(
    "node",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("seen_at", Instant, nullable=False),
    Column("body", JSON, nullable=False),
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

# Editions of the SAT's catalogs, each with all catalogs in which it differs from those of a release. published: day of
# the publication, `YYYY-MM-DD`. file_name, digest: names and SHA-256 of the files that it was made of. summary: what it
# changed, see `timbra.lists.catalog_editions.summary_of`. content: see `timbra.catalogs.overlay`.
CATALOG_EDITION = Table(
    "catalog_edition",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("published", Text, nullable=False),
    Column("installed_at", Instant, nullable=False),
    Column("file_name", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("summary", JSON, nullable=False),
    Column("content", LargeBinary, nullable=False),
)

# When an edition was put in force, the newest last; an empty name is that of the catalogs of the release.
CATALOG_USE = Table(
    "catalog_use",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("name", Text, nullable=False),
    Column("since", Instant, nullable=False),
    sqlite_autoincrement=True,
)

# The archive of a month. name: of the bag. first_day, last_day: `YYYY-MM-DD` of central Mexico. place: folder or
# address. digest: SHA-256 of its tagmanifest in hexadecimal, empty before it is written. exported_at: when it was
# written and verified. pruned_at: when the last row that it has was deleted from the database. failed_at, failure: the
# last attempt to write, verify or prune, if it failed.
ARCHIVE = Table(
    "archive",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("first_day", Text, nullable=False),
    Column("last_day", Text, nullable=False),
    Column("place", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("documents", BigInteger, nullable=False),
    Column("acuses", BigInteger, nullable=False),
    Column("events", BigInteger, nullable=False),
    Column("exported_at", Instant),
    Column("pruned_at", Instant),
    Column("failed_at", Instant),
    Column("failure", Text, nullable=False),
)
