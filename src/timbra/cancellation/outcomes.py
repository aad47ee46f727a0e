"""The outcome of requests of cancellation: the SAT's status service is queried until it is decided.

The SAT answers a request with a receipt. Whether the receiver accepted, rejected or did not answer is known from the
status of the CFDI only. In a sandbox the simulated authority writes the outcome itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

import structlog
from sqlalchemy import Connection, Row, delete, select, update

from timbra.cancellation.tables import CANCELLATION_QUERY
from timbra.cfdi.document import DocumentParser
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.database.membership import stamp_rows
from timbra.database.tables.stamps import EVENT, STAMP
from timbra.events.cancellation_states import RECEIVED
from timbra.events.consumers import Consumer, Write
from timbra.events.event_log import Event, append_event
from timbra.events.retry import Circuit, doubling
from timbra.sat.port import FiscalStatus, StatusQuery, StatusService
from timbra.stamps.port import StampStore

LOG = structlog.get_logger(__name__)
CANCELLED: Final = "Cancelado"
ACCEPTED_BY_RECEIVER: Final = "con aceptación"
EXPIRED: Final = "plazo vencido"
REJECTED_BY_RECEIVER: Final = "rechazada"
IN_PROCESS: Final = "en proceso"
SINCE: Final = 1
"""The format of the first events that are read."""
FIRST_QUERY = timedelta(minutes=1)
"""A CFDI that needs no acceptance is cancelled some seconds after the receipt."""
WAITS: Sequence[tuple[timedelta, timedelta]] = (
    (timedelta(hours=1), timedelta(minutes=10)),
    (timedelta(days=1), timedelta(hours=1)),
    (timedelta(days=7), timedelta(hours=6)),
)
"""The wait until the next query, by the age of the request; a day for an older one, such as of fuel, without a term."""
LONG_WAIT = timedelta(days=1)
ABANDONED_AFTER = timedelta(days=400)
LOST_AFTER = timedelta(days=30)
"""A CFDI that has no request in process after so long has none: the SAT has lost or ended it without a trace."""
PAUSES = doubling(timedelta(seconds=30), timedelta(minutes=10))
SEAL_TAIL_LENGTH = 8


def outcome_of(status: FiscalStatus) -> str:
    """Return the kind of event that a status means, empty while the request is in process."""
    text = status.cancellation.casefold()
    if status.status == CANCELLED:
        if EXPIRED in text:
            return "cancellation.expired"
        return "cancellation.accepted" if ACCEPTED_BY_RECEIVER in text else "cancellation.cancelled"
    return "cancellation.rejected" if REJECTED_BY_RECEIVER in text else ""


def next_query(requested_at: datetime, now: datetime) -> datetime:
    """Return when a request that is in process is queried again."""
    age = now - requested_at
    return now + next((wait for until, wait in WAITS if age < until), LONG_WAIT)


def outcome_consumer() -> Consumer:
    """Return the consumer of the event log that begins to query the requests that the SAT received."""
    return Consumer("cancellation outcomes", SINCE, EVENT.c.kind == RECEIVED, _fan_out)


def _fan_out(connection: Connection, events: Sequence[Event]) -> Write | None:
    """Read which events are about stamps of this server; a CFDI of another provider cannot be queried by its folio."""
    folios = sorted({event.subject for event in events})
    accounts = {row.uuid: row.account_id for row in stamp_rows(connection, _ACCOUNTS, folios)}
    # The last request of a folio counts.
    rows = {event.subject: _row(event, accounts[event.subject]) for event in events if event.subject in accounts}
    return partial(_insert, rows=rows) if rows else None


def _row(event: Event, account_id: int) -> dict[str, object]:
    return {
        "uuid": event.subject,
        "account_id": account_id,
        "requested_at": event.at,
        "due_at": event.at + FIRST_QUERY,
        "motive": str(event.body.get("motivo") or ""),
        "substitute": str(event.body.get("foliosustitucion") or ""),
        "request_id": event.request_id,
    }


def _insert(connection: Connection, rows: Mapping[str, Mapping[str, object]]) -> None:
    connection.execute(delete(CANCELLATION_QUERY).where(CANCELLATION_QUERY.c.uuid.in_(rows)))
    connection.execute(CANCELLATION_QUERY.insert(), [dict(row) for row in rows.values()])


_ACCOUNTS = select(STAMP.c.uuid, STAMP.c.account_id)
_DUE = select(CANCELLATION_QUERY).order_by(CANCELLATION_QUERY.c.due_at, CANCELLATION_QUERY.c.uuid)


@dataclass(frozen=True, slots=True)
class QueryLimit:
    """How many queries one run makes.

    Attributes:
        per_minute: The limit of the settings; 0 for none at all.
        seconds: The period of the job.
    """

    per_minute: int
    seconds: float

    @property
    def per_run(self) -> int:
        """The queries of one run, at least one unless there are none at all."""
        return max(1, int(self.per_minute * self.seconds / 60)) if self.per_minute else 0


class CancellationOutcomes:
    """Queries the status of the stamps whose cancellation is in process, and writes the outcome as an event."""

    def __init__(
        self,
        database: Database,
        stamps: StampStore,
        status: StatusService,
        parser: DocumentParser,
        wall: Clock,
        fiscal: Clock,
        limit: QueryLimit,
    ) -> None:
        """Query a status service.

        Args:
            status: Makes one attempt for each call.
            limit: How many queries a run makes.
        """
        self._database = database
        self._stamps = stamps
        self._status = status
        self._parser = parser
        self._wall = wall
        self._fiscal = fiscal
        self._limit = limit
        self._circuit = Circuit(wall, PAUSES)

    def run(self) -> int:
        """Query what is due, within the limit; return how many requests were decided. Not for the event loop."""
        wanted = self._circuit.capacity(self._limit.per_run)
        due = self._due(wanted) if wanted else ()
        decided = 0
        for row in due:
            query = self._query(row.uuid)
            if query is None:
                continue
            try:
                status = self._status.status(query)
            except ServiceError as error:
                LOG.warning("the outcome of a cancellation is not known", uuid=row.uuid, code=error.code)
                if query.is_retencion:
                    # Another service: it must not keep those of CFDI waiting.
                    self._postpone(row.uuid, self._wall.now() + PAUSES[-1])
                    continue
                self._postpone(row.uuid, self._circuit.fail())
                break
            self._circuit.succeed()
            decided += self._handle(row, status)
        return decided

    def _due(self, limit: int) -> Sequence[Row[Any]]:
        query = _DUE.where(CANCELLATION_QUERY.c.due_at <= self._wall.now()).limit(limit)
        with self._database.read() as connection:
            return connection.execute(query).all()

    def _query(self, uuid: str) -> StatusQuery | None:
        """Return the query of a stamp; None, with another day for it, for one that cannot be read."""
        try:
            record = self._stamps.by_uuid(uuid)
            if record is None:
                self._forget(uuid)
                return None
            seal = self._parser.parse(record.cfdi).root.get("Sello", "")
        except ServiceError as error:
            if error.retry_after is not None:
                raise
            LOG.exception("a stamp whose cancellation is in process cannot be read", uuid=uuid)
            self._postpone(uuid, self._wall.now() + LONG_WAIT)
            return None
        tail = seal[-SEAL_TAIL_LENGTH:]
        return StatusQuery(record.uuid, record.issuer_rfc, record.receiver_rfc, record.total, tail, record.is_retencion)

    def _handle(self, row: Row[Any], status: FiscalStatus) -> bool:
        """Write the outcome, or plan the next query; return whether the request was decided."""
        kind, now = outcome_of(status), self._wall.now()
        age = now - row.requested_at
        if kind:
            self._decide(row, kind, status)
            return True
        is_lost = age > LOST_AFTER and IN_PROCESS not in status.cancellation.casefold()
        if is_lost or age > ABANDONED_AFTER:
            LOG.error("a cancellation has no outcome", uuid=row.uuid, status=status.status, requested=row.requested_at)
            self._forget(row.uuid)
        else:
            self._postpone(row.uuid, next_query(row.requested_at, now))
        return False

    def _decide(self, row: Row[Any], kind: str, status: FiscalStatus) -> None:
        body = {
            "motivo": row.motive,
            "foliosustitucion": row.substitute,
            "estado": status.status,
            "estatuscancelacion": status.cancellation,
            "queried": True,
        }
        event = Event(self._wall.now(), self._fiscal.now(), row.account_id, kind, row.uuid, row.request_id, body)
        with self._database.write() as connection:
            # Another node may have written the outcome while this one queried.
            ended = connection.execute(_of(row.uuid, row.requested_at)).rowcount
            if ended:
                append_event(connection, event)

    def _postpone(self, uuid: str, until: datetime) -> None:
        with self._database.write() as connection:
            connection.execute(update(CANCELLATION_QUERY).where(CANCELLATION_QUERY.c.uuid == uuid).values(due_at=until))

    def _forget(self, uuid: str) -> None:
        with self._database.write() as connection:
            connection.execute(delete(CANCELLATION_QUERY).where(CANCELLATION_QUERY.c.uuid == uuid))


def _of(uuid: str, requested_at: datetime) -> Any:
    column = CANCELLATION_QUERY.c
    return delete(CANCELLATION_QUERY).where(column.uuid == uuid, column.requested_at == requested_at)
