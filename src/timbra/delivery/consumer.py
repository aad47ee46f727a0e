"""The consumer of the event log that writes the deliveries of stamps to the authority."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, Select, select

from timbra.database.tables.stamps import EVENT
from timbra.events.consumers import Consumer
from timbra.events.dispatcher import first_unread, unread

SINCE: Final = 2
"""Programs of before wrote the delivery in the transaction of its stamp."""
# The content of an event is not read: a damaged one delays no delivery. In the order of the key, in which neighbours
# share pages.
_INSERT = (
    "INSERT INTO outbox (kind, subject, created_at, due_at, attempts) SELECT 'stamp', subject, at, at, 0 FROM event "
    "WHERE id {numbers} AND kind = 'stamped' AND format >= {since} ORDER BY subject ON CONFLICT DO NOTHING"
)
_OF_SQLITE = _INSERT.format(numbers="IN (SELECT value FROM json_each(?))", since=SINCE)
_OF_POSTGRESQL = _INSERT.format(numbers="= ANY(%s::bigint[])", since=SINCE)


def _insert(connection: Connection, numbers: Sequence[int]) -> None:
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(_OF_POSTGRESQL, ([*numbers],))
    else:
        connection.exec_driver_sql(_OF_SQLITE, (json.dumps(numbers),))


DELIVERIES: Final = Consumer("deliveries", SINCE, EVENT.c.kind == "stamped", insert=_insert)


def unread_stamps(connection: Connection) -> Select[tuple[str, datetime]]:
    """Return the query of folio and wall instant of the stamps whose delivery is due and not in the outbox yet.

    The outbox is to be read after it.
    """
    return select(EVENT.c.subject, EVENT.c.at).where(unread(connection, DELIVERIES))


def unread_stamps_behind(connection: Connection, number: int, limit: int) -> Select[int, str]:
    """Return the query of number and folio of the first of these stamps behind a number, in the order of the log."""
    behind = max(number, first_unread(connection, DELIVERIES))
    query = unread_stamps(connection).with_only_columns(EVENT.c.id, EVENT.c.subject).where(EVENT.c.id > behind)
    return query.order_by(EVENT.c.id).limit(limit)
