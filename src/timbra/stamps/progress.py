"""The progress of the jobs that follow the cursors of stamps, after stamps were deleted."""

from __future__ import annotations

from sqlalchemy import Connection, case, delete, func, select, update

from timbra.database.tables.rejections import USAGE_PROGRESS
from timbra.database.tables.search import LISTED_DOCUMENT, STAMP_WORD, STAMP_WORD_PROGRESS
from timbra.database.tables.stamps import STAMP
from timbra.stamps.document_sums import remove_listed

WORDS, USAGE = STAMP_WORD_PROGRESS.c, USAGE_PROGRESS.c


def rewind_progress(connection: Connection) -> None:
    """Move the progress to the newest stamp, in the transaction that deletes stamps: SQLite gives cursors again."""
    if connection.dialect.name != "sqlite":
        return
    newest = connection.execute(select(func.max(STAMP.c.cursor))).scalar() or 0
    counted = case((USAGE.counted > newest, newest), else_=USAGE.counted)
    connection.execute(update(USAGE_PROGRESS).where(USAGE.seen > newest).values(seen=newest, counted=counted))
    if connection.execute(update(STAMP_WORD_PROGRESS).where(WORDS.indexed > newest).values(indexed=newest)).rowcount:
        connection.execute(delete(STAMP_WORD).where(STAMP_WORD.c.cursor > newest))
        remove_listed(connection, LISTED_DOCUMENT.c.cursor > newest)
