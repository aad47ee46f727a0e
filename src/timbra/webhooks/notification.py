"""The request of a delivery, in the format of its endpoint."""

from __future__ import annotations

from base64 import b64encode
from datetime import datetime

import orjson

from timbra.webhooks.http_sender import SentRequest
from timbra.webhooks.secrets import WebhookSecrets
from timbra.webhooks.signature import HEADER, signature_header
from timbra.webhooks.store.events import WebhookEvent
from timbra.webhooks.store.models import SW_BATCH, Webhook

SW_MEMBERS = ("urlOutput", "urlReport", "urlReportError")
"""The members of SW's notification; a client that reads by position finds them first."""


def notification_request(
    webhook: Webhook, event: WebhookEvent, delivery_id: str, secrets: WebhookSecrets, at: datetime
) -> SentRequest:
    """Return the request that delivers an event.

    Args:
        delivery_id: identifier of this attempt.
        secrets: decrypts the secret of the endpoint.
        at: wall instant, which is part of the signature.

    Raises:
        ServiceError: the secret cannot be decrypted.
    """
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Timbra-Webhook/1",
        "Timbra-Event-Id": event.id,
        "Timbra-Delivery-Id": delivery_id,
    }
    if webhook.format == SW_BATCH:
        credentials = b64encode(secrets.current(webhook).encode()).decode()
        return SentRequest(webhook.url, {**headers, "Authorization": f"Basic {credentials}"}, _sw_body(event))
    body = event.body.encode()
    signature = signature_header(secrets.valid(webhook, at), int(at.timestamp()), body)
    return SentRequest(webhook.url, {**headers, HEADER: signature}, body)


def _sw_body(event: WebhookEvent) -> bytes:
    """Return the notification of SW's batch service: its three members, then those of the event."""
    content = orjson.loads(event.body)["data"]["object"]
    known = {name: content.get(name, "") for name in SW_MEMBERS}
    return orjson.dumps({**known, **content, "eventId": event.id, "type": event.kind})
