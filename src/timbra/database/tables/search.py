"""Tables about stamped documents that are written after the stamps: words of searches, rows of lists, and sums."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import BigInteger, Column, Index, Integer, Table, Text, text

from timbra.database.tables import METADATA
from timbra.database.tables.column_types import AutoNumber, Instant

# PostgreSQL compares by bytes, as SQLite does, so that the words with a prefix are one range of the index.
WORD = Text().with_variant(Text(collation="C"), "postgresql")

# The words of a document, as `timbra.cfdi.search_words` makes them. cursor: of its stamp.
STAMP_WORD = Table(
    "stamp_word",
    METADATA,
    Column("account_id", BigInteger, primary_key=True, autoincrement=False),
    Column("word", WORD, primary_key=True),
    Column("cursor", BigInteger, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

HAS_STATE = text("state IS NOT NULL")

# What lists of documents filter, sort and add, in rows without the document. cursor: of its stamp, whose columns the
# others are, but for the amount: the total; of a payment, what was paid, in MXN. units and millionths: its two parts,
# -1 and 0 for a damaged document. words: those of `stamp_word`, each after a blank. uuid: with the collation of the
# subjects of events, whose index PostgreSQL does not read for another one. state: of the cancellation, as
# `DocumentState` names it, after the events that the consumer has read; NULL for a valid document.
LISTED_DOCUMENT = Table(
    "listed_document",
    METADATA,
    Column("cursor", AutoNumber, primary_key=True, autoincrement=False),
    Column("account_id", BigInteger, nullable=False),
    Column("uuid", Text, nullable=False),
    Column("stamped_at", Instant, nullable=False),
    Column("kind", WORD, nullable=False),
    Column("serie", WORD, nullable=False),
    Column("folio", WORD, nullable=False),
    Column("fecha", WORD, nullable=False),
    Column("issuer_rfc", WORD, nullable=False),
    Column("receiver_rfc", WORD, nullable=False),
    Column("total", Text, nullable=False),
    Column("currency", Text, nullable=False),
    Column("units", BigInteger, nullable=False),
    Column("millionths", Integer, nullable=False),
    Column("words", WORD, nullable=False),
    Column("state", Text),
    Index(None, "uuid"),
    # Lists of an account in each order, and what a filter alone selects, newest first.
    Index(None, "account_id", "stamped_at", "cursor"),
    Index(None, "account_id", "kind", "stamped_at", "cursor"),
    Index(None, "account_id", "issuer_rfc", "stamped_at", "cursor"),
    Index(None, "account_id", "receiver_rfc", "stamped_at", "cursor"),
    Index(None, "account_id", "folio", "stamped_at", "cursor"),
    Index(None, "account_id", "serie", "folio", "cursor"),
    Index(None, "account_id", "fecha", "cursor"),
    Index(None, "account_id", "units", "millionths", "cursor"),
    Index(
        "ix_listed_document_state",
        "account_id",
        "state",
        "stamped_at",
        "cursor",
        sqlite_where=HAS_STATE,
        postgresql_where=HAS_STATE,
    ),
)


def _sum_columns() -> Iterator[Column[Any]]:
    for name in ("day", "kind", "currency"):
        yield Column(name, Text, primary_key=True)
    for name in ("documents", "damaged", "billions", "units", "millionths"):
        yield Column(name, BigInteger, nullable=False)


# The sum of the amounts of `listed_document` of each day in central Mexico. billions: of units; the parts are not
# carried over. documents: their number, of which `damaged` have no amount.
DOCUMENT_SUM = Table(
    "document_sum",
    METADATA,
    Column("account_id", BigInteger, primary_key=True, autoincrement=False),
    *_sum_columns(),
    sqlite_with_rowid=False,
)

# The same of the documents that have a state.
CANCELLATION_SUM = Table(
    "cancellation_sum",
    METADATA,
    Column("account_id", BigInteger, primary_key=True, autoincrement=False),
    Column("state", Text, primary_key=True),
    *_sum_columns(),
    sqlite_with_rowid=False,
)

# indexed: cursor up to which every stamp has its words; for the name `listed`, its row of the lists too.
STAMP_WORD_PROGRESS = Table(
    "stamp_word_progress",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("indexed", BigInteger, nullable=False),
)
