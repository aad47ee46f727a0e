"""Tables of the validation of documents that an account received."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Boolean, Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from timbra.database.feature_tables import FeatureTable
from timbra.database.tables import METADATA
from timbra.database.tables.column_types import AutoNumber, Instant

# created_at: wall instant. submission: key of the form that created it, so that a form sent twice creates one. label:
# the first file. documents, wrong: numbers of rows, and of those with errors or not readable.
VALIDATION_RUN = Table(
    "validation_run",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("account_id", BigInteger, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("submission", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("documents", Integer, nullable=False),
    Column("wrong", Integer, nullable=False),
    UniqueConstraint("account_id", "submission"),
    Index(None, "account_id", "created_at", "id"),
    Index(None, "created_at"),
    sqlite_autoincrement=True,
)

# Columns of `documents` by which results are listed and filtered; `document` has all of them, `findings` the rows of
# that table. digest: of name and content. search: RFC, names, folios and file in upper case without accents.
# is_metadata: a line of a metadata file, which has no document.
VALIDATION_RESULT = Table(
    "validation_result",
    METADATA,
    Column("run_id", BigInteger, ForeignKey(VALIDATION_RUN.c.id), primary_key=True, autoincrement=False),
    Column("document_id", Integer, primary_key=True, autoincrement=False),
    Column("digest", Text, nullable=False),
    Column("is_metadata", Boolean, nullable=False),
    Column("uuid", Text),
    Column("receiver_rfc", Text),
    Column("result", Text),
    Column("status", Text),
    Column("article_69b", Text),
    Column("duplicate_of", Integer),
    Column("search", Text, nullable=False),
    Column("document", JSON, nullable=False),
    Column("findings", JSON, nullable=False),
    UniqueConstraint("run_id", "digest"),
    Index(None, "run_id", "uuid"),
)

TABLES = (
    FeatureTable(VALIDATION_RUN),
    FeatureTable(VALIDATION_RESULT, (VALIDATION_RESULT.c.run_id, VALIDATION_RUN.c.id)),
)
