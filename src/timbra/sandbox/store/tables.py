"""Tables of the simulated authority: its keys, certificates, taxpayers, ledger, clock and faults."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, LargeBinary, Table, Text, text

from timbra.database.tables import METADATA
from timbra.database.tables.column_types import AutoNumber, Instant

# Single values by name: counters, the fiscal clock's reading, when the lists were last published.
SANDBOX_STATE = Table(
    "sandbox_state",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

# role: `authority` or `provider`. sealed_key: PKCS#8 in DER, encrypted under the master key.
SANDBOX_KEY = Table(
    "sandbox_key",
    METADATA,
    Column("role", Text, primary_key=True),
    Column("number", Text, nullable=False),
    Column("certificate", LargeBinary, nullable=False),
    Column("sealed_key", LargeBinary, nullable=False),
)

# The l_RFC and each taxpayer's obligations in the LCO. listed: whether a published list has the row already.
# pending: JSON object of the columns that the next refresh changes. postal_code, regimes (separated by blanks):
# empty when not provided. situation: in the list of article 69-B, empty or NULL when not in it.
SANDBOX_TAXPAYER = Table(
    "sandbox_taxpayer",
    METADATA,
    Column("rfc", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("postal_code", Text, nullable=False),
    Column("regimes", Text, nullable=False),
    Column("obligations", Integer, nullable=False),
    Column("cancelled", Boolean, nullable=False),
    Column("listed", Boolean, nullable=False),
    Column("pending", Text),
    Column("situation", Text),
)

# Certificates of the LCO, and those that the sandbox issued. status: A or R; pending_status: the next refresh's.
# certificate: DER, NULL when the sandbox does not have it. account_id: who requested it, NULL for an operator's.
# in_list: false for kinds that the LCO does not have.
SANDBOX_CERTIFICATE = Table(
    "sandbox_certificate",
    METADATA,
    Column("number", Text, primary_key=True),
    Column("rfc", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("pending_status", Text),
    Column("valid_from", Instant, nullable=False),
    Column("valid_to", Instant, nullable=False),
    Column("in_list", Boolean, nullable=False),
    Column("listed", Boolean, nullable=False),
    Column("certificate", LargeBinary),
    Column("account_id", BigInteger),
    Index(None, "rfc"),
)

# The indexed CFDI and retenciones. issued_at: FechaTimbrado. total: as written; total_mxn: in pesos, as text.
# kind: TipoDeComprobante, R of a retención. cancellation: EstatusCancelacion. origin: `delivered` or `imported`.
# year: of Fecha. fuel: whether it sells hydrocarbons or fuel, or transports fuel.
SANDBOX_DOCUMENT = Table(
    "sandbox_document",
    METADATA,
    Column("uuid", Text, primary_key=True),
    Column("version", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("issuer_rfc", Text, nullable=False),
    Column("receiver_rfc", Text, nullable=False),
    Column("total", Text, nullable=False),
    Column("total_mxn", Text, nullable=False),
    Column("seal_tail", Text, nullable=False),
    Column("issued_at", Instant, nullable=False),
    Column("state", Text, nullable=False),
    Column("cancellation", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("year", Integer, nullable=False),
    Column("fuel", Boolean, nullable=False),
)

# `uuid` names `related`, with the key of c_TipoRelacion, or "pago" when it is a payment of it.
SANDBOX_RELATION = Table(
    "sandbox_relation",
    METADATA,
    Column("uuid", Text, primary_key=True),
    Column("related", Text, primary_key=True),
    Column("relation", Text, primary_key=True),
    Index(None, "related"),
)

# Pending requests of cancellation. due_at: fiscal instant of `outcome` (`accepted`, `rejected`, `expired`) unless the
# receiver answers earlier; both NULL without a due date. replacement: FolioSustitucion, empty without one.
SANDBOX_REQUEST = Table(
    "sandbox_request",
    METADATA,
    Column("uuid", Text, primary_key=True),
    Column("receiver_rfc", Text, nullable=False),
    Column("motivo", Text, nullable=False),
    Column("replacement", Text, nullable=False),
    Column("requested_at", Instant, nullable=False),
    Column("due_at", Instant),
    Column("outcome", Text),
    Index(None, "receiver_rfc"),
    Index(None, "due_at"),
)

# Automatic replies of receivers: `outcome` (`accepted`, `rejected`), `seconds` after the request.
SANDBOX_AUTO_REPLY = Table(
    "sandbox_script",
    METADATA,
    Column("rfc", Text, primary_key=True),
    Column("outcome", Text, nullable=False),
    Column("seconds", BigInteger, nullable=False),
)

# remaining: number of requests that the fault still affects; NULL until it is cleared. per_million, seed, route,
# account: the requests that it affects, see `timbra.sandbox.fault_selection`.
SANDBOX_FAULT = Table(
    "sandbox_fault",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("remaining", BigInteger),
    Column("milliseconds", BigInteger),
    Column("per_million", BigInteger, nullable=False, server_default=text("1000000")),
    Column("seed", BigInteger, nullable=False, server_default=text("1")),
    Column("route", Text, nullable=False, server_default=text("''")),
    Column("account", Text, nullable=False, server_default=text("''")),
)

# E-mails that a sandbox without mail server keeps instead of sending them. at: wall instant. content: the message,
# compressed. size: its bytes.
SANDBOX_MAIL = Table(
    "sandbox_mail",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("at", Instant, nullable=False),
    Column("recipient", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("content", LargeBinary, nullable=False),
    sqlite_autoincrement=True,
)
