"""Tables of the documents that an account received or issued, and of their XML."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from timbra.database.feature_tables import FeatureTable
from timbra.database.tables import METADATA
from timbra.database.tables.column_types import AutoNumber, Instant

# The few documents that somebody has to look at. The migration gives the index this condition on PostgreSQL.
IS_MARKED = text("cancellation IS NOT NULL OR article_69b IS NOT NULL OR other_sha256 IS NOT NULL")

# One row for each UUID of an account. uuid: in lower case. kind: `cfdi` or `retenciones`. provider_rfc: of the PAC.
# fecha, fecha_timbrado, cancelled_at: local times as the SAT writes them, `YYYY-MM-DDTHH:MM:SS`. total: a decimal
# number. serie, folio, moneda: NULL without XML. status, cancellation: Estado and EstatusCancelacion of the SAT.
# metadata_at: instant at which metadata had the document the last time. status_at: of the last answer of the status
# service. source: where the XML comes from, a name of `timbra.received.documents.models`; `metadata` without XML.
# origin: the sender of an e-mail, or the name of a supplier's link. sha256: of the XML. other_sha256, other_source: of
# an XML of the same UUID that differs and is not stored. result, errors, warnings: outcome of the validation, NULL
# before it. article_69b: situation of a party in the list. seal_tail: last 8 characters of the issuer's seal.
# xml_requests: how often the SAT was asked for the missing XML.
RECEIVED_DOCUMENT = Table(
    "received_document",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("account_id", BigInteger, nullable=False),
    Column("uuid", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("issuer_rfc", Text, nullable=False),
    Column("issuer_name", Text, nullable=False),
    Column("receiver_rfc", Text, nullable=False),
    Column("receiver_name", Text, nullable=False),
    Column("provider_rfc", Text, nullable=False),
    Column("fecha", Text, nullable=False),
    Column("fecha_timbrado", Text, nullable=False),
    Column("total", Text),
    Column("tipo_de_comprobante", Text),
    Column("serie", Text),
    Column("folio", Text),
    Column("moneda", Text),
    Column("status", Text),
    Column("cancelled_at", Text),
    Column("cancellation", Text),
    Column("metadata_at", Instant),
    Column("status_at", Instant),
    Column("source", Text, nullable=False),
    Column("has_xml", Boolean, nullable=False),
    Column("sha256", Text),
    Column("other_sha256", Text),
    Column("other_source", Text),
    Column("result", Text),
    Column("errors", Integer),
    Column("warnings", Integer),
    Column("article_69b", Text),
    Column("seal_tail", Text),
    Column("xml_requests", Integer, nullable=False),
    Column("stored_at", Instant, nullable=False),
    Column("changed_at", Instant, nullable=False),
    Column("origin", Text),
    UniqueConstraint("account_id", "uuid"),
    Index(None, "account_id", "receiver_rfc", "fecha"),
    Index(None, "account_id", "issuer_rfc", "fecha"),
    Index(None, "account_id", "fecha"),
    Index("ix_received_document_marked", "account_id", "fecha", sqlite_where=IS_MARKED),
    sqlite_autoincrement=True,
)

# xml: compressed, see `timbra.database.codec`. findings: rows of the table `findings` of the validation, as JSON.
RECEIVED_XML = Table(
    "received_xml",
    METADATA,
    Column("document_id", BigInteger, ForeignKey(RECEIVED_DOCUMENT.c.id), primary_key=True, autoincrement=False),
    Column("xml", LargeBinary, nullable=False),
    Column("findings", JSON, nullable=False),
)

# Issuers of received documents, each with its situation in the list of article 69-B, NULL for none.
RECEIVED_ISSUER = Table(
    "received_issuer",
    METADATA,
    Column("account_id", BigInteger, primary_key=True, autoincrement=False),
    Column("rfc", Text, primary_key=True),
    Column("article_69b", Text),
    Column("changed_at", Instant, nullable=False),
)

TABLES = (
    FeatureTable(RECEIVED_ISSUER),
    FeatureTable(RECEIVED_DOCUMENT),
    FeatureTable(RECEIVED_XML, (RECEIVED_XML.c.document_id, RECEIVED_DOCUMENT.c.id)),
)
