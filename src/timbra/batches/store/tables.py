"""Tables of batches: ZIP archives of documents to stamp, the outcome of each document, the bytes of the archives."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, LargeBinary, Table, Text, text

from timbra.database.feature_tables import FeatureTable
from timbra.database.tables import METADATA
from timbra.database.tables.column_types import Instant

# state: queued, running, done, failed, expired, cancelled. operation: stamp, issue. digest: SHA-256 of the archive in
# hexadecimal. base_url: of the request, for the addresses of the results. due_at: not before this wall instant, also
# the end of the lease of the worker that processes it; NULL when nothing is left to do. attempts: leases. failure: why
# the batch failed. expires_at: end of the results. pdf_template: of the PDF files; empty for that of the account.
BATCH = Table(
    "batch",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("account_id", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("operation", Text, nullable=False),
    Column("file_name", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("pdf", Boolean, nullable=False),
    Column("base_url", Text, nullable=False),
    Column("files", Integer, nullable=False),
    Column("stamped", Integer, nullable=False),
    Column("repeated", Integer, nullable=False),
    Column("rejected", Integer, nullable=False),
    Column("failure", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("started_at", Instant),
    Column("finished_at", Instant),
    Column("expires_at", Instant),
    Column("due_at", Instant),
    Column("attempts", Integer, nullable=False),
    Column("pdf_template", Text, nullable=False, server_default=text("''")),
    Index(None, "account_id", "created_at"),
    Index(None, "due_at"),
    Index(None, "expires_at"),
)

# The outcome of one document. number: its position in the archive. result: stamped, repeated, rejected.
BATCH_ITEM = Table(
    "batch_item",
    METADATA,
    Column("batch_id", Text, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("result", Text, nullable=False),
    Column("uuid", Text, nullable=False),
    Column("stamped_at", Text, nullable=False),
    Column("code", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("detail", Text, nullable=False),
    sqlite_with_rowid=False,
)

# The bytes of the archives in pieces. kind: input, output.
BATCH_CHUNK = Table(
    "batch_chunk",
    METADATA,
    Column("batch_id", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
)

TABLES = (
    FeatureTable(BATCH),
    FeatureTable(BATCH_ITEM, (BATCH_ITEM.c.batch_id, BATCH.c.id)),
    FeatureTable(BATCH_CHUNK, (BATCH_CHUNK.c.batch_id, BATCH.c.id)),
)
