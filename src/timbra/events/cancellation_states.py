"""State of the cancellation of documents, derived from their events: what this server knows about them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from sqlalchemy import Column, ColumnElement, ScalarSelect, String, and_, func, select

from timbra.database.database import Database
from timbra.database.tables.stamps import EVENT, IS_CANCELLATION
from timbra.events.event_log import NUMBERED, Event

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
            event = Event(*row[1:])
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
        if event.kind in CANCELLED:
            current = KnownCancellation(DocumentState.CANCELLED, motive, substitute, event.fiscal_at)
        elif event.kind == REJECTED:
            current = KnownCancellation(DocumentState.VALID, at=event.fiscal_at)
        elif current.state is not DocumentState.CANCELLED:
            current = KnownCancellation(DocumentState.PENDING, motive, substitute, event.fiscal_at)
    return current


def last_change(uuid: Column[str]) -> ScalarSelect[str]:
    """Return the subquery of the kind of the last event that changed the state of a document; NULL without one."""
    query = select(EVENT.c.kind).where(and_(EVENT.c.subject == uuid, IS_CANCELLATION, EVENT.c.kind.in_(_CHANGES)))
    return query.order_by(EVENT.c.id.desc()).limit(1).correlate(uuid.table).scalar_subquery()


def kinds_of(state: DocumentState) -> Sequence[str]:
    """Return the kinds of the last event of documents in a state; "" stands for a document without events."""
    kinds = {
        DocumentState.VALID: ("", REJECTED),
        DocumentState.PENDING: PENDING,
        DocumentState.CANCELLED: CANCELLED,
    }
    return kinds[state]


def has_event(uuid: Column[str], state: DocumentState) -> ColumnElement[bool]:
    """Return the condition that a document once had a state of a cancellation."""
    return uuid.in_(select(EVENT.c.subject).where(IS_CANCELLATION, EVENT.c.kind.in_(kinds_of(state))))


def has_state(uuid: Column[str], state: DocumentState) -> ColumnElement[bool]:
    return func.coalesce(last_change(uuid), "", type_=String).in_(kinds_of(state))
