"""The event of a new stamp, as rows for the statements of the repository of stamps."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from timbra.events.client_events import Occurrence, event_text, new_event_id
from timbra.events.kinds import STAMPED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from timbra.stamps.port import Claim, StampRecord


@dataclass(frozen=True, slots=True)
class StampedRows:
    """Rows to insert.

    Attributes:
        events: id, account_id, kind, subject, body.
        deliveries: event_id, webhook_id.
    """

    events: list[tuple[str, int, str, str, str]]
    deliveries: list[tuple[str, str]]


def stamped_rows(claims: Iterable[Claim], wall: datetime) -> StampedRows:
    """Return the rows of the claims whose accounts have endpoints for `cfdi.stamped`.

    Args:
        claims: The claims that the transaction inserts.
        wall: Wall instant of the batch.
    """
    rows = StampedRows([], [])
    for claim in claims:
        if claim.subscribers is None:
            continue
        record, event_id = claim.record, new_event_id()
        occurrence = Occurrence(record.account_id, STAMPED, record.uuid, wall, document_content(record))
        account = claim.subscribers.account
        body = event_text(event_id, occurrence, environment=record.environment, account=account, sequence=1)
        rows.events.append((event_id, record.account_id, STAMPED, record.uuid, body))
        rows.deliveries.extend((event_id, webhook) for webhook in claim.subscribers.webhooks)
    return rows


def document_content(record: StampRecord) -> dict[str, object]:
    """Return what an event says of a stamped document, without its XML."""
    return {
        "uuid": record.uuid,
        "kind": record.kind,
        "version": record.version,
        "serie": record.serie,
        "folio": record.folio,
        "issuerRfc": record.issuer_rfc,
        "receiverRfc": record.receiver_rfc,
        "total": record.total,
        "fecha": record.fecha,
        "stampedAt": record.stamped_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "requestId": record.request_id,
        "status": "stamped",
    }
