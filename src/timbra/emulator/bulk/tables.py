"""Tables of the bulk download: the requests, and the packages that were made of them."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, Index, Integer, Table, Text

from timbra.database.feature_tables import FeatureTable
from timbra.database.tables import METADATA
from timbra.database.tables.column_types import Instant

# id: IdSolicitud, in lower case. register: `cfdi` or `retenciones`. rfc: who signed it. package_type: `CFDI` or
# `Metadata`. question: the values whose equality is counted. requested_at, finished_at: fiscal instants; finished_at is
# NULL until the packages are made. polls: how often it was verified. state, code: EstadoSolicitud and its code at the
# end. documents: how many were found. scripted: the faults that change its course and its packages.
DOWNLOAD_REQUEST = Table(
    "download_request",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("register", Text, nullable=False),
    Column("rfc", Text, nullable=False),
    Column("package_type", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("criteria", JSON, nullable=False),
    Column("requested_at", Instant, nullable=False),
    Column("polls", BigInteger, nullable=False),
    Column("finished_at", Instant),
    Column("state", Integer, nullable=False),
    Column("code", Text, nullable=False),
    Column("documents", BigInteger, nullable=False),
    Column("scripted", JSON, nullable=False),
    Index(None, "rfc", "register", "question"),
)

# number: from 1. size: bytes of its file. downloads: how often it was downloaded.
DOWNLOAD_PACKAGE = Table(
    "download_package",
    METADATA,
    Column("request_id", Text, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("documents", BigInteger, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("downloads", BigInteger, nullable=False),
)

TABLES = (
    FeatureTable(DOWNLOAD_REQUEST, is_saved=False, of_accounts=False),
    FeatureTable(DOWNLOAD_PACKAGE, is_saved=False, of_accounts=False),
)
