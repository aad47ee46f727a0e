"""The answers of the SAT to deliveries: written with the end of the delivery, in one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Row, delete, func, or_, select, update

from timbra.core.periods import Period
from timbra.core.text import storable
from timbra.database.database import Database
from timbra.database.tables.provider import RECEPTION
from timbra.database.tables.stamps import EVENT, OUTBOX
from timbra.delivery.consumer import unread_stamps
from timbra.delivery.delivered_events import DeliveredEvents
from timbra.delivery.deliveries import STAMP
from timbra.events.exclusive import read_one_instant
from timbra.events.outbox import MAX_REASON_LENGTH

WAITING, RECEIVED, WITH_INCIDENCIA, LATE, REJECTED = (
    "waiting",
    "received",
    "received-with-incidencia",
    "late",
    "rejected",
)
ANSWERED_STATES = (RECEIVED, WITH_INCIDENCIA, LATE, REJECTED)
PAGE = 1000
_SUMMARY = tuple(column for column in RECEPTION.c if column is not RECEPTION.c.acuse)


@dataclass(frozen=True, slots=True)
class StoredReception:
    """The answer of the SAT to one delivery.

    Attributes:
        uuid: In lower case.
        stamped_at, uploaded_at, acknowledged_at: Wall time; stamped_at is FechaTimbrado.
        attempts: Attempts to deliver, the last one included.
        state: One of `ANSWERED_STATES`.
        status: CodEstatus.
        incidencias: Each with `code` and `message`.
        acuse: The whole acuse, as received; empty in lists.
    """

    uuid: str
    account_id: int
    issuer_rfc: str
    version: str
    stamped_at: datetime
    uploaded_at: datetime
    acknowledged_at: datetime
    attempts: int
    state: str
    status: str
    incidencias: Sequence[Mapping[str, str]]
    acuse: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class DeliveryState:
    """The state of the delivery of one stamp.

    Attributes:
        state: `WAITING`, or one of `ANSWERED_STATES`; empty for a stamp that is not to be delivered.
        reason: Why the last attempt failed; empty without one.
        is_dead: Whether the server does not try again by itself.
        attempts: Attempts until now.
        due_at: Wall time of the next attempt; None without one.
        reception: The answer of the SAT; None without one.
    """

    state: str
    reason: str = ""
    is_dead: bool = False
    attempts: int = 0
    due_at: datetime | None = None
    reception: StoredReception | None = None


class ReceptionRepository:
    """The answers of one database."""

    def __init__(self, database: Database, events: DeliveredEvents | None = None) -> None:
        self._database = database
        self._events = events

    def conclude(self, reception: StoredReception) -> None:
        """Store an answer and end the delivery. A rejected document stays in the outbox, as a dead letter.

        The first good answer about a document is kept: a delivery that two nodes repeat changes nothing.
        """
        values = {column.name: getattr(reception, column.name) for column in RECEPTION.c}
        values["incidencias"] = [dict(found) for found in reception.incidencias]
        statement = self._database.insert(RECEPTION).values(values)
        statement = statement.on_conflict_do_update(
            index_elements=[RECEPTION.c.uuid],
            set_={name: statement.excluded[name] for name in values if name != "uuid"},
            where=RECEPTION.c.state == REJECTED,
        )
        row = (OUTBOX.c.kind == STAMP, OUTBOX.c.subject == reception.uuid)
        with self._database.write() as connection:
            connection.execute(statement)
            if reception.state == REJECTED:
                reason = storable(rejection_reason(reception), MAX_REASON_LENGTH)
                connection.execute(update(OUTBOX).where(*row).values(dead=True, reason=reason))
                return
            ended = connection.execute(delete(OUTBOX).where(*row)).rowcount
            if ended and self._events is not None:
                content = {"status": reception.state, "codEstatus": reception.status}
                self._events.append(connection, [reception.uuid], content)

    def state_of(self, uuid: str) -> DeliveryState:
        """Return the state of the delivery of a stamp, with the acuse. `uuid`: In any letter case."""
        answered = select(RECEPTION).where(RECEPTION.c.uuid == uuid.lower())
        pending = select(OUTBOX).where(OUTBOX.c.kind == STAMP, OUTBOX.c.subject == uuid.lower())
        with self._database.read() as connection:
            read_one_instant(connection)
            found, row = connection.execute(answered).first(), connection.execute(pending).first()
            unread = unread_stamps(connection).where(EVENT.c.subject == uuid.lower())
            new = connection.execute(unread).first() if found is None and row is None else None
        reception = None if found is None else _read(found)
        if row is None:
            if reception is None:
                return DeliveryState("") if new is None else DeliveryState(WAITING, due_at=new.at)
            return DeliveryState(reception.state, attempts=reception.attempts, reception=reception)
        state = reception.state if reception else WAITING
        return DeliveryState(
            state, row.reason or "", bool(row.dead), row.attempts, None if row.dead else row.due_at, reception
        )

    def newest(self, limit: int, state: str | None = None) -> Sequence[StoredReception]:
        """Return the newest answers, without their acuses.

        Args:
            limit: The maximum number.
            state: One of `ANSWERED_STATES`; None for all.
        """
        query = select(*_SUMMARY).order_by(RECEPTION.c.acknowledged_at.desc()).limit(limit)
        if state is not None:
            query = query.where(RECEPTION.c.state == state)
        with self._database.read() as connection:
            return [_read(row) for row in connection.execute(query)]

    def counts(self, since: datetime, until: datetime) -> Mapping[str, int]:
        """Return the number of answers of a period by state.

        Args:
            since: The first instant.
            until: The instant after the last one.
        """
        query = select(RECEPTION.c.state, func.count()).group_by(RECEPTION.c.state)
        query = query.where(RECEPTION.c.acknowledged_at >= since, RECEPTION.c.acknowledged_at < until)
        with self._database.read() as connection:
            found = {row.state: int(row[1]) for row in connection.execute(query)}
        return {state: found.get(state, 0) for state in ANSWERED_STATES}


def receptions_between(database: Database, period: Period) -> Iterator[StoredReception]:
    """Yield the answers of the SAT to deliveries, with their acuses, by the time of the acuse."""
    column = RECEPTION.c
    after: tuple[datetime, str] | None = None
    while True:
        query = select(RECEPTION).where(column.acknowledged_at >= period.since, column.acknowledged_at < period.until)
        if after is not None:
            at, uuid = after
            later = (column.acknowledged_at == at) & (column.uuid > uuid)
            query = query.where(or_(column.acknowledged_at > at, later))
        with database.read() as connection:
            rows = connection.execute(query.order_by(column.acknowledged_at, column.uuid).limit(PAGE)).all()
        if not rows:
            return
        yield from (StoredReception(**row._asdict()) for row in rows)
        after = (rows[-1].acknowledged_at, rows[-1].uuid)


def rejection_reason(reception: StoredReception) -> str:
    """Return why the SAT did not receive a document, as one line."""
    texts = [f"{found.get('code', '')} {found.get('message', '')}".strip() for found in reception.incidencias]
    return "; ".join(["El SAT rechazó el comprobante: " + reception.status, *texts])


def _read(row: Row[Any]) -> StoredReception:
    return StoredReception(**{name: value for name, value in row._mapping.items() if name != "id"})
