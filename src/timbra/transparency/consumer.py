"""The consumer of the event log that appends the leaves of stamps and cancellations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from typing import Final

from sqlalchemy import Connection, or_, select

from timbra.core.clock import CENTRAL_MEXICO
from timbra.database.database import Database
from timbra.database.membership import stamp_rows
from timbra.database.tables.column_types import to_microseconds
from timbra.database.tables.operations import ARCHIVE
from timbra.database.tables.stamps import EVENT, IS_CANCELLATION, STAMP
from timbra.events.consumers import Consumer, Write
from timbra.events.event_log import Event
from timbra.transparency.leaves import Leaf, append_leaves, event_digest

NAME: Final = "transparency"
STAMPED: Final = "stamped"
SINCE: Final = 0
"""Events of every format: the migration begins the cursor at the first event."""
CONDITION: Final = or_(EVENT.c.kind == STAMPED, IS_CANCELLATION)
_DOCUMENTS = select(STAMP.c.uuid, STAMP.c.cfdi)


def log_consumer(database: Database) -> Consumer:
    """Return the consumer."""

    def fan_out(connection: Connection, events: Sequence[Event]) -> Write | None:
        leaves = _leaves(database, connection, events)
        return partial(_write, leaves) if leaves else None

    def _write(leaves: Sequence[Leaf], connection: Connection) -> None:
        append_leaves(database, connection, leaves)

    return Consumer(NAME, SINCE, CONDITION, fan_out)


def _leaves(database: Database, connection: Connection, events: Sequence[Event]) -> list[Leaf]:
    """Return the leaves of events. Raises ValueError for a stamp that is damaged or lost."""
    folios = sorted({event.subject for event in events if event.kind == STAMPED})
    stored = {row.uuid: row.cfdi for row in stamp_rows(connection, _DOCUMENTS, folios)}
    digests = {uuid: sha256(database.document(cfdi)).digest() for uuid, cfdi in stored.items()}
    leaves = []
    for event in events:
        if event.kind == STAMPED:
            digest = digests.get(event.subject)
        else:
            digest = event_digest(to_microseconds(event.fiscal_at), event.account_id, event.request_id, event.body)
        if digest is not None:
            leaves.append(Leaf(event.kind, event.subject, 0, event.at, digest))
        elif not _is_pruned(connection, event):
            raise ValueError("the event names a stamp that does not exist")
    return leaves


def _is_pruned(connection: Connection, event: Event) -> bool:
    """Whether an event of before this consumer is of a month of which stamps were deleted."""
    day = event.at.astimezone(CENTRAL_MEXICO).date().isoformat()
    query = select(ARCHIVE.c.last_day).where(ARCHIVE.c.exported_at.is_not(None), ARCHIVE.c.last_day >= day)
    return connection.execute(query.limit(1)).first() is not None
