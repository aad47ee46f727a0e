"""Tables of what others send: links of suppliers, mail accounts, and what became of each submission."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, Index, Integer, LargeBinary, Table, Text, UniqueConstraint

from timbra.database.feature_tables import FeatureTable
from timbra.database.tables import METADATA
from timbra.database.tables.column_types import AutoNumber, Instant

# token_hash: SHA-256 of the token, which is not stored. issuer_rfc: the supplier, NULL for any. hour_at, hour_uploads:
# begin of the hour in which uploads are counted, and their number.
RECEIVED_LINK = Table(
    "received_link",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("account_id", BigInteger, nullable=False),
    Column("token_hash", LargeBinary, nullable=False),
    Column("name", Text, nullable=False),
    Column("issuer_rfc", Text),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("revoked_at", Instant),
    Column("used_at", Instant),
    Column("hour_at", Instant),
    Column("hour_uploads", Integer, nullable=False),
    UniqueConstraint("token_hash"),
    Index(None, "account_id"),
    sqlite_autoincrement=True,
)

# A folder of a mail account (IMAP). sealed_password: encrypted under the master key. uid_validity, last_uid: its
# UIDVALIDITY, NULL before it was read, and the UID of the last message that was read. problem: why it could not be read
# the last time, in Spanish; empty otherwise.
RECEIVED_MAIL_ACCOUNT = Table(
    "received_mail_account",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("account_id", BigInteger, nullable=False),
    Column("host", Text, nullable=False),
    Column("port", Integer, nullable=False),
    Column("user", Text, nullable=False),
    Column("folder", Text, nullable=False),
    Column("sealed_password", LargeBinary, nullable=False),
    Column("uid_validity", BigInteger),
    Column("last_uid", BigInteger, nullable=False),
    Column("read_at", Instant),
    Column("problem", Text, nullable=False),
    UniqueConstraint("account_id", "host", "user", "folder"),
    sqlite_autoincrement=True,
)

# source: `supplier` or `mail`. origin: the name of the link, or the sender. subject: of the e-mail. stored, known,
# rejected: numbers of documents. files: what became of each, the rejected ones first, as JSON.
RECEIVED_SUBMISSION = Table(
    "received_submission",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("account_id", BigInteger, nullable=False),
    Column("at", Instant, nullable=False),
    Column("source", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("stored", Integer, nullable=False),
    Column("known", Integer, nullable=False),
    Column("rejected", Integer, nullable=False),
    Column("files", JSON, nullable=False),
    Index(None, "account_id", "id"),
    Index(None, "at"),
    sqlite_autoincrement=True,
)

TABLES = (FeatureTable(RECEIVED_LINK), FeatureTable(RECEIVED_MAIL_ACCOUNT), FeatureTable(RECEIVED_SUBMISSION))
