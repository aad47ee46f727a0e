"""When the simulated lists were published, and publishing what has waited.

The SAT publishes a list a night: what a listed taxpayer changes is seen after 00:00 central Mexico, in fiscal time.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta

from sqlalchemy import Connection, select, update

from timbra.authority.sandbox.state import read_value, write_first, write_value
from timbra.clock import CENTRAL_MEXICO, to_central_mexico
from timbra.store.database import Database
from timbra.store.tables.sandbox import SANDBOX_CERTIFICATE, SANDBOX_TAXPAYER
from timbra.store.types import from_microseconds, to_microseconds

_NAME = "lists"
_SLACK = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Publication:
    """Fiscal instants. published: the date of the lists in force; considered: until when nights were dealt with.

    version: `published` as central Mexico writes it. It and the bounds are made once: every look-up asks for them.
    """

    published: datetime
    considered: datetime
    version: str = field(init=False)
    _earliest: datetime = field(init=False, repr=False)
    _next_midnight: datetime = field(init=False, repr=False)

    def __post_init__(self) -> None:
        set_once = object.__setattr__
        set_once(self, "version", to_central_mexico(self.published))
        set_once(self, "_earliest", self.considered - _SLACK)
        set_once(self, "_next_midnight", midnight_after(self.considered))

    def due(self, now: datetime) -> bool:
        """Whether a midnight has passed unseen, or the clock was moved back behind what was seen."""
        return not self._earliest <= now < self._next_midnight

    def ahead_of(self, now: datetime) -> bool:
        """Whether the clock was moved back; nodes whose clocks differ a little do not count as that."""
        return now < self._earliest


def midnight_before(instant: datetime) -> datetime:
    """The latest 00:00 central Mexico that is not after the instant."""
    day = instant.astimezone(CENTRAL_MEXICO).date()
    return datetime.combine(day, time(), CENTRAL_MEXICO).astimezone(instant.tzinfo)


def midnight_after(instant: datetime) -> datetime:
    """The first 00:00 central Mexico after the instant."""
    day = instant.astimezone(CENTRAL_MEXICO).date() + timedelta(days=1)
    return datetime.combine(day, time(), CENTRAL_MEXICO).astimezone(instant.tzinfo)


def first_publication(now: datetime) -> Publication:
    """The lists of the day that the sandbox was made on."""
    return Publication(midnight_before(now), now)


def read_publication(connection: Connection) -> Publication | None:
    stored = read_value(connection, _NAME)
    if stored is None:
        return None
    value = json.loads(stored)
    return Publication(from_microseconds(value["published"]), from_microseconds(value["considered"]))


def write_publication(database: Database, connection: Connection, publication: Publication) -> None:
    write_value(database, connection, _NAME, _written(publication))


def write_first_publication(database: Database, connection: Connection, publication: Publication) -> None:
    """Unless there is one."""
    write_first(database, connection, _NAME, _written(publication))


def publish_pending(connection: Connection) -> int:
    """Makes everything that waits part of the lists; how many rows that changed."""
    return _publish_taxpayers(connection) + _publish_certificates(connection)


def _publish_taxpayers(connection: Connection) -> int:
    table = SANDBOX_TAXPAYER
    waiting = select(table.c.rfc, table.c.pending).where(~table.c.listed | table.c.pending.is_not(None))
    rows = connection.execute(waiting).all()
    for rfc, pending in rows:
        values = {**json.loads(pending or "{}"), "listed": True, "pending": None}
        connection.execute(update(table).where(table.c.rfc == rfc).values(values))
    return len(rows)


def _publish_certificates(connection: Connection) -> int:
    table = SANDBOX_CERTIFICATE
    changed = connection.execute(
        update(table)
        .where(table.c.pending_status.is_not(None))
        .values(status=table.c.pending_status, pending_status=None)
    )
    new = connection.execute(update(table).where(table.c.in_list, ~table.c.listed).values(listed=True))
    return changed.rowcount + new.rowcount


def _written(publication: Publication) -> str:
    return json.dumps(
        {
            "published": to_microseconds(publication.published),
            "considered": to_microseconds(publication.considered),
        }
    )
