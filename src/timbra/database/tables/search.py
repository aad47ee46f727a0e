"""Tables of the search of stamps by words of their documents."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Table, Text

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

# One row. indexed: cursor up to which every stamp has its words.
STAMP_WORD_PROGRESS = Table(
    "stamp_word_progress",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("indexed", BigInteger, nullable=False),
)
