"""State of the cancellation of documents, derived from their events: what this server knows about them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from sqlalchemy import Column, ColumnElement, Select, distinct, exists, func, select, text

from timbra.database.database import Database
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
        if event.kind in CANCELLED:
            current = KnownCancellation(DocumentState.CANCELLED, motive, substitute, event.fiscal_at)
        elif event.kind == REJECTED:
            current = KnownCancellation(DocumentState.VALID, at=event.fiscal_at)
        elif current.state is not DocumentState.CANCELLED:
            current = KnownCancellation(DocumentState.PENDING, motive, substitute, event.fiscal_at)
    return current


def kinds_of(state: DocumentState) -> Sequence[str]:
    """Return the kinds of the last event of documents in a state, which a document without events is not in."""
    kinds = {DocumentState.VALID: (REJECTED,), DocumentState.PENDING: PENDING, DocumentState.CANCELLED: CANCELLED}
    return kinds[state]


def has_event(uuid: Column[str], state: DocumentState) -> ColumnElement[bool]:
    """Return the condition that a document once had a state of a cancellation."""
    return uuid.in_(subjects_of(state))


def subjects_of(state: DocumentState) -> Select[tuple[str]]:
    """Return the query of the folios of documents that once had a state of a cancellation; each once or more."""
    return select(EVENT.c.subject).where(IS_CANCELLATION, EVENT.c.kind.in_(kinds_of(state)))


def number_in_state(state: DocumentState, accounts: Sequence[int | None]) -> Select[int]:
    """Return the query of the number of documents that are or will be cancelled, from their events alone."""
    change, later = EVENT.alias("change"), EVENT.alias("later")
    is_later = (later.c.subject == change.c.subject, later.c.id > change.c.id, later.c.kind.in_(_CHANGES))
    none_later = ~exists().where(text("later.kind LIKE 'cancellation.%'"), *is_later)
    of_state = (change.c.account_id.in_(accounts), change.c.kind.in_(kinds_of(state)), none_later)
    query = select(func.count(distinct(change.c.subject)))
    return query.where(text("change.kind LIKE 'cancellation.%'"), *of_state)


def has_state(uuid: Column[str], state: DocumentState, *, of_each: bool = False) -> ColumnElement[bool]:
    """Return the condition that the last change of a document led to a state; VALID is that of one without changes.

    Args:
        of_each: whether the events of each document are read by its folio: few documents of an order are looked at.
            Otherwise the database may read those of all documents once.
    """
    if state is DocumentState.VALID:
        return ~_last_change_is(uuid, (*PENDING, *CANCELLED), of_each=of_each)
    return _last_change_is(uuid, kinds_of(state), of_each=of_each)


def _last_change_is(uuid: Column[str], kinds: Sequence[str], *, of_each: bool) -> ColumnElement[bool]:
    # The literal is the condition of the index, which a parameter would not be.
    change, later = EVENT.alias("change"), EVENT.alias("later")
    is_later = (later.c.subject == change.c.subject, later.c.id > change.c.id, later.c.kind.in_(_CHANGES))
    none_later = ~exists().where(text("later.kind LIKE 'cancellation.%'"), *is_later)
    of_document = (change.c.subject == uuid, change.c.kind.in_(kinds))
    found = select(change.c.id).where(text("change.kind LIKE 'cancellation.%'"), *of_document, none_later)
    # With an offset PostgreSQL does not make a join of the subquery.
    return (found.offset(0) if of_each else found).correlate(uuid.table).exists()
