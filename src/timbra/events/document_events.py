"""Events about documents: cancellations, by the events of the event log, and deliveries to the authority."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from timbra.database.membership import rows_in
from timbra.database.tables.accounts import CSD
from timbra.database.tables.stamps import STAMP
from timbra.events import kinds
from timbra.events.client_events import Occurrence, publish

CANCELLATION_KINDS: Mapping[str, tuple[str, ...]] = {
    "cancellation.received": (kinds.CANCELLATION_REQUESTED,),
    "cancellation.requested": (kinds.CANCELLATION_REQUESTED,),
    "cancellation.accepted": (kinds.CANCELLATION_ACCEPTED, kinds.CANCELLATION_DONE),
    "cancellation.rejected": (kinds.CANCELLATION_REJECTED,),
    "cancellation.expired": (kinds.CANCELLATION_EXPIRED, kinds.CANCELLATION_DONE),
    "cancellation.cancelled": (kinds.CANCELLATION_REQUESTED, kinds.CANCELLATION_DONE),
    "cancellation.ineffective": (kinds.CANCELLATION_REQUESTED,),
}
"""Kinds of webhook events by the kind of the event log; every request that the authority accepts is told."""
_COLUMNS = (STAMP.c.uuid, STAMP.c.account_id, STAMP.c.issuer_rfc, STAMP.c.receiver_rfc, STAMP.c.total)


def publish_cancellation(
    connection: Connection, kind: str, uuid: str, account_id: int | None, at: datetime, body: Mapping[str, object]
) -> None:
    """Publish the events of a change of a cancellation, in the transaction of the change.

    The account of the stamp gets them; for a document that was stamped elsewhere, the account that asked. A request
    that waits for the receiver is told to the accounts that have a certificate of the receiver, too.

    Args:
        connection: A write transaction.
        kind: The kind of the event log; kinds without webhook events have no effect.
        uuid: The folio, in lower case.
        account_id: The account that caused the change; None without one.
        at: Wall instant.
        body: The body of the event log.
    """
    published = CANCELLATION_KINDS.get(kind)
    if published is None:
        return
    stamp = connection.execute(select(*_COLUMNS).where(STAMP.c.uuid == uuid)).first()
    content = {
        **_content(uuid, stamp),
        "motive": str(body.get("motivo") or ""),
        "substitute": str(body.get("foliosustitucion") or ""),
    }
    owner = account_id if stamp is None else stamp.account_id
    if owner is not None:
        for each in published:
            status = "requested" if each == kinds.CANCELLATION_REQUESTED else kind.removeprefix("cancellation.")
            publish(connection, Occurrence(owner, each, uuid, at, {**content, "status": status}))
    if kind == "cancellation.requested" and stamp is not None:
        for receiver in _accounts_of(connection, stamp.receiver_rfc):
            publish(connection, Occurrence(receiver, kinds.PENDING_CREATED, uuid, at, {**content, "status": "pending"}))


def publish_deliveries(
    connection: Connection, uuids: Collection[str], at: datetime, content: Mapping[str, object]
) -> None:
    """Publish that the authority received documents, in the transaction that ends their deliveries.

    Args:
        connection: A write transaction.
        uuids: Folios in lower case.
        at: Wall instant.
        content: What the authority answered.
    """
    for stamp in [*rows_in(connection, select(*_COLUMNS), STAMP.c.uuid, uuids)]:
        told = {**_content(stamp.uuid, stamp), **content}
        publish(connection, Occurrence(stamp.account_id, kinds.DELIVERED, stamp.uuid, at, told))


def _content(uuid: str, stamp: Row[*tuple[Any, ...]] | None) -> dict[str, object]:
    if stamp is None:
        return {"uuid": uuid}
    return {"uuid": uuid, "issuerRfc": stamp.issuer_rfc, "receiverRfc": stamp.receiver_rfc, "total": stamp.total}


def _accounts_of(connection: Connection, rfc: str) -> list[int]:
    """Return the accounts that have an active certificate of an RFC, in order."""
    query = select(CSD.c.account_id).where(CSD.c.rfc == rfc, CSD.c.active).distinct().order_by(CSD.c.account_id)
    return list(connection.execute(query).scalars())
