"""State of the cancellation of documents, derived from their events: what this server knows about them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from sqlalchemy import Connection, select

from timbra.database.database import Database
from timbra.database.membership import rows_in
from timbra.database.tables.stamps import EVENT, IS_CANCELLATION
from timbra.events.event_log import NUMBERED, Event, event_of

RECEIVED = "cancellation.received"
"""The SAT received a request for this folio; whether the document is cancelled is known from its status only."""
PENDING = ("cancellation.requested", RECEIVED)
CANCELLED = ("cancellation.cancelled", "cancellation.accepted", "cancellation.expired")
REJECTED = "cancellation.rejected"
_CHANGES = (*PENDING, *CANCELLED, REJECTED)


class DocumentState(Enum):
    """State of a document.

    Attributes:
        VALID: Without a cancellation that is known here.
        PENDING: Its cancellation was requested.
        CANCELLED: It is cancelled.
    """

    VALID = "vigente"
    PENDING = "proceso"
    CANCELLED = "cancelado"


@dataclass(frozen=True, slots=True)
class KnownCancellation:
    """What the events of a document say.

    Attributes:
        motive: Motivo of the last request, 01 to 04; empty without one.
        substitute: FolioSustitucion of the last request; empty without one.
        at: Fiscal instant of the last change; None without one.
    """

    state: DocumentState = DocumentState.VALID
    motive: str = ""
    substitute: str = ""
    at: datetime | None = None


NO_CANCELLATION = KnownCancellation()


def cancellation_states(database: Database, uuids: Collection[str]) -> Mapping[str, KnownCancellation]:
    """Return the states of the documents that have events of cancellation. `uuids`: Folios in lower case."""
    query = NUMBERED.where(EVENT.c.subject.in_(uuids), IS_CANCELLATION).order_by(EVENT.c.id)
    events: dict[str, list[Event]] = {}
    with database.read() as connection:
        for row in connection.execute(query) if uuids else ():
            event = event_of(row)
            events.setdefault(event.subject, []).append(event)
    return {uuid: state_of(of_document) for uuid, of_document in events.items()}


def state_of(events: Iterable[Event]) -> KnownCancellation:
    """Return the state after the events of one document, in the order in which they were appended."""
    current = NO_CANCELLATION
    for event in events:
        if event.kind not in _CHANGES:
            continue
        motive = str(event.body.get("motivo") or current.motive)
        substitute = str(event.body.get("foliosustitucion") or current.substitute)
        state = state_after(event.kind, current.state)
        if state is DocumentState.VALID:
            current = KnownCancellation(at=event.fiscal_at)
        elif event.kind in CANCELLED or current.state is not DocumentState.CANCELLED:
            current = KnownCancellation(state, motive, substitute, event.fiscal_at)
    return current


def states_of(connection: Connection, uuids: Collection[str]) -> dict[str, DocumentState]:
    """Return the states of documents that have events of cancellation, by their folios, from the kinds alone."""
    states: dict[str, DocumentState] = {}
    query = select(EVENT.c.subject, EVENT.c.kind).where(IS_CANCELLATION).order_by(EVENT.c.id)
    for subject, kind in rows_in(connection, query, EVENT.c.subject, uuids):
        states[subject] = state_after(kind, states.get(subject, DocumentState.VALID))
    return states


def state_after(kind: str, state: DocumentState) -> DocumentState:
    """Return the state of a document after an event of a kind."""
    if kind in CANCELLED:
        return DocumentState.CANCELLED
    if kind == REJECTED:
        return DocumentState.VALID
    return DocumentState.PENDING if kind in PENDING and state is DocumentState.VALID else state
