"""Tables about stamped documents that are written after the stamps: words of searches, and amounts."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, Table, Text

from timbra.database.tables import METADATA

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

# The amount of a document: the total; of a payment, what was paid, in MXN. units and millionths: its two parts, NULL
# for a damaged document. cursor: of its stamp.
DOCUMENT_AMOUNT = Table(
    "document_amount",
    METADATA,
    Column("cursor", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False),
    Column("account_id", BigInteger, nullable=False),
    Column("currency", Text, nullable=False),
    Column("units", BigInteger),
    Column("millionths", Integer),
    Index(None, "account_id", "units", "millionths", "cursor"),
)

# indexed: cursor up to which every stamp has its words; for the name `documents`, its amount too.
STAMP_WORD_PROGRESS = Table(
    "stamp_word_progress",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("indexed", BigInteger, nullable=False),
)
