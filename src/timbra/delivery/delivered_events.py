"""The events of deliveries that the authority received."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, select

from timbra.core.clock import Clock
from timbra.database.membership import stamp_rows
from timbra.database.tables.stamps import STAMP
from timbra.events.consumers import IsRead
from timbra.events.event_log import Event, append_events

DELIVERED = "delivered"


@dataclass(frozen=True, slots=True)
class DeliveredEvents:
    """Appends `delivered` to the event log, for the accounts of which it is read."""

    is_read: IsRead
    wall: Clock
    fiscal: Clock

    def append(self, connection: Connection, uuids: Collection[str], content: Mapping[str, object]) -> None:
        """Append the events of documents, in the transaction that ends their deliveries.

        Args:
            connection: A write transaction.
            uuids: Folios in lower case.
            content: What the authority answered.
        """
        if not uuids or not self.is_read(DELIVERED, None):
            return
        at, fiscal_at = self.wall.now(), self.fiscal.now()
        stamps = stamp_rows(connection, select(STAMP.c.uuid, STAMP.c.account_id), uuids)
        append_events(
            connection,
            [
                Event(at, fiscal_at, stamp.account_id, DELIVERED, stamp.uuid, "", content)
                for stamp in stamps
                if self.is_read(DELIVERED, stamp.account_id)
            ],
        )
