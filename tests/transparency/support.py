"""A transparency log over stored stamps, without a server."""

from __future__ import annotations

from pathlib import Path

from tests.accounts.support import ENVELOPE
from tests.support.store_records import NOON, MovableClock, claim

from timbra.database.database import Database
from timbra.events.dispatcher import EventDispatcher
from timbra.events.event_log import Event, append_event
from timbra.stamps.repository import DatabaseStamps
from timbra.transparency.consumer import log_consumer
from timbra.transparency.keys import AuditKeys
from timbra.transparency.leaves import Leaf, leaves_between, tree_size
from timbra.transparency.log import TransparencyLog


def log_of(database: Database, folder: Path, wall: MovableClock, *, origin: str = "") -> TransparencyLog:
    return TransparencyLog(database, AuditKeys(ENVELOPE, wall), folder, wall, origin=origin, is_public=True)


def stamp(database: Database, *seals: int | str) -> list[str]:
    """Store stamps, and return their folios."""
    claims = [claim(seal) for seal in seals]
    DatabaseStamps(database, MovableClock()).claim(claims)
    return [each.record.uuid for each in claims]


def reject_cancellation(database: Database, uuid: str) -> None:
    body = {"motivo": "02", "foliosustitucion": ""}
    with database.write() as connection:
        append_event(connection, Event(NOON, NOON, 1, "cancellation.rejected", uuid, "request-1", body))


def dispatch(database: Database) -> int:
    return EventDispatcher(database, [log_consumer(database)], MovableClock()).run()


def leaves(database: Database) -> list[Leaf]:
    with database.read() as connection:
        return list(leaves_between(connection, 0, tree_size(connection)))
