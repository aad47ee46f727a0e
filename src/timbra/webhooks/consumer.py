"""The consumer of the event log: events of webhooks, from those of the log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection, Row, and_, exists, or_, select

from timbra.database.membership import stamp_rows
from timbra.database.tables.accounts import CSD
from timbra.database.tables.stamps import EVENT, STAMP
from timbra.database.tables.webhooks import WEBHOOK
from timbra.events.consumers import Consumer, IsRead, Write
from timbra.events.event_log import Event
from timbra.webhooks import kinds
from timbra.webhooks.store.events import Occurrence, insert_events, new_events

SINCE: Final = 1
"""The format of the first events whose webhooks are written from the log."""
OF_RECEIVED: Final = (
    kinds.RECEIVED_CANCELLED,
    kinds.RECEIVED_PENDING,
    kinds.RECEIVED_LISTED,
    kinds.RECEIVED_DIFFERENT,
)
"""The event log has these kinds by the same names."""
OF_ACCOUNT: Final[Mapping[str, str]] = {
    "batch.done": kinds.BATCH_DONE,
    "rejected": kinds.REJECTED,
    **{kind: kind for kind in OF_RECEIVED},
}
"""Kinds of webhook events by the kind of the event log, for events that have the whole content."""
OF_STAMP: Final[Mapping[str, str]] = {"stamped": kinds.STAMPED, "delivered": kinds.DELIVERED}
OF_CANCELLATION: Final[Mapping[str, tuple[str, ...]]] = {
    "cancellation.received": (kinds.CANCELLATION_REQUESTED,),
    "cancellation.requested": (kinds.CANCELLATION_REQUESTED,),
    "cancellation.accepted": (kinds.CANCELLATION_ACCEPTED, kinds.CANCELLATION_DONE),
    "cancellation.rejected": (kinds.CANCELLATION_REJECTED,),
    "cancellation.expired": (kinds.CANCELLATION_EXPIRED, kinds.CANCELLATION_DONE),
    "cancellation.cancelled": (kinds.CANCELLATION_REQUESTED, kinds.CANCELLATION_DONE),
    "cancellation.ineffective": (kinds.CANCELLATION_REQUESTED,),
}
"""Every request that the authority accepts is told."""
_STAMPS = select(*(column for column in STAMP.c if column is not STAMP.c.cfdi))
_ACCOUNTS = select(WEBHOOK.c.account_id).where(WEBHOOK.c.enabled)
_CONDITION = or_(
    and_(EVENT.c.kind.in_((*OF_ACCOUNT, *OF_STAMP)), EVENT.c.account_id.in_(_ACCOUNTS)),
    and_(EVENT.c.kind.in_(tuple(OF_CANCELLATION)), exists().where(WEBHOOK.c.enabled)),
)


def webhook_consumer(has_subscribers: IsRead) -> Consumer:
    """Return the consumer.

    Args:
        has_subscribers: Whether an endpoint of an account, or of any, gets events of a kind.
    """
    frequent = {"delivered": kinds.DELIVERED, "rejected": kinds.REJECTED}

    def reads(kind: str, account_id: int | None) -> bool:
        return kind in frequent and has_subscribers(frequent[kind], account_id)

    return Consumer("webhooks", SINCE, _CONDITION, _fan_out, reads=reads)


def _fan_out(connection: Connection, events: Sequence[Event]) -> Write | None:
    folios = {event.subject for event in events if event.kind in OF_STAMP or event.kind in OF_CANCELLATION}
    stamps = {row.uuid: row for row in stamp_rows(connection, _STAMPS, sorted(folios))}
    told = [each for event in events for each in _occurrences(connection, event, stamps.get(event.subject))]
    new = new_events(connection, told)
    return partial(insert_events, events=new) if new else None


def _occurrences(connection: Connection, event: Event, stamp: Row[*tuple[Any, ...]] | None) -> Iterator[Occurrence]:
    if event.kind in OF_CANCELLATION:
        yield from _cancellation(connection, event, stamp)
    elif event.kind in OF_ACCOUNT and event.account_id is not None:
        # A rejection has no subject: its events are not counted.
        subject = "" if event.kind == "rejected" else event.subject
        yield Occurrence(event.account_id, OF_ACCOUNT[event.kind], subject, event.at, event.body)
    elif stamp is not None:
        content = _document(stamp) if event.kind == "stamped" else {**_parties(stamp.uuid, stamp), **event.body}
        yield Occurrence(stamp.account_id, OF_STAMP[event.kind], stamp.uuid, event.at, content)


def _cancellation(connection: Connection, event: Event, stamp: Row[*tuple[Any, ...]] | None) -> Iterator[Occurrence]:
    """Yield the events of a change of a cancellation.

    The account of the stamp gets them; for a document that was stamped elsewhere, the account that asked. A request
    that waits for the receiver is told to the accounts that have a certificate of the receiver, too.
    """
    content = {
        **_parties(event.subject, stamp),
        "motive": str(event.body.get("motivo") or ""),
        "substitute": str(event.body.get("foliosustitucion") or ""),
    }
    owner = event.account_id if stamp is None else stamp.account_id
    if owner is not None:
        # The request was told when the SAT received it; a query finds its outcome.
        told = (kinds.CANCELLATION_REQUESTED,) if event.body.get("queried") else ()
        for kind in OF_CANCELLATION[event.kind]:
            if kind in told:
                continue
            status = "requested" if kind == kinds.CANCELLATION_REQUESTED else event.kind.removeprefix("cancellation.")
            yield Occurrence(owner, kind, event.subject, event.at, {**content, "status": status})
    if event.kind == "cancellation.requested" and stamp is not None:
        pending = {**content, "status": "pending"}
        for receiver in _accounts_of(connection, stamp.receiver_rfc):
            yield Occurrence(receiver, kinds.PENDING_CREATED, event.subject, event.at, pending)


def _document(stamp: Row[*tuple[Any, ...]]) -> dict[str, object]:
    """Return what an event says of a stamped document, without its XML."""
    return {
        "uuid": stamp.uuid,
        "kind": stamp.kind,
        "version": stamp.version,
        "serie": stamp.serie,
        "folio": stamp.folio,
        "issuerRfc": stamp.issuer_rfc,
        "receiverRfc": stamp.receiver_rfc,
        "total": stamp.total,
        "fecha": stamp.fecha,
        "stampedAt": stamp.stamped_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "requestId": stamp.request_id,
        "status": "stamped",
    }


def _parties(uuid: str, stamp: Row[*tuple[Any, ...]] | None) -> dict[str, object]:
    if stamp is None:
        return {"uuid": uuid}
    return {"uuid": uuid, "issuerRfc": stamp.issuer_rfc, "receiverRfc": stamp.receiver_rfc, "total": stamp.total}


def _accounts_of(connection: Connection, rfc: str) -> list[int]:
    """Return the accounts that have an active certificate of an RFC, in order."""
    query = select(CSD.c.account_id).where(CSD.c.rfc == rfc, CSD.c.active).distinct().order_by(CSD.c.account_id)
    return list(connection.execute(query).scalars())
