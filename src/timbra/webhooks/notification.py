"""The request of a delivery, in the format of its endpoint."""

from __future__ import annotations

import hmac
from base64 import b64encode
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256

import orjson

from timbra.core.trace_context import TRACEPARENT, traceparent_of
from timbra.webhooks.http_sender import SentRequest
from timbra.webhooks.secrets import WebhookSecrets
from timbra.webhooks.store.events import WebhookEvent
from timbra.webhooks.store.models import SW_BATCH, Webhook

SW_MEMBERS = ("urlOutput", "urlReport", "urlReportError")
"""The members of SW's notification; a client that reads by position finds them first."""
HEADER = "Timbra-Signature"


def signature_header(secrets: Sequence[str], timestamp: int, body: bytes) -> str:
    """Return the value of the header: `t=1763402400,v1=HEX`, with one `v1` for each secret that is valid now.

    Args:
        secrets: The secret of the endpoint, then the previous one while it is valid.
        timestamp: Unix time in seconds.
        body: The body of the request, as it is sent.
    """
    signed = f"{timestamp}.".encode() + body
    signatures = [hmac.new(secret.encode(), signed, sha256).hexdigest() for secret in secrets]
    return ",".join([f"t={timestamp}", *(f"v1={signature}" for signature in signatures)])


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
    if traceparent := traceparent_of(_request_id(event)):
        headers[TRACEPARENT] = traceparent
    if webhook.format == SW_BATCH:
        credentials = b64encode(secrets.current(webhook).encode()).decode()
        return SentRequest(webhook.url, {**headers, "Authorization": f"Basic {credentials}"}, _sw_body(event))
    body = event.body.encode()
    signature = signature_header(secrets.valid(webhook, at), int(at.timestamp()), body)
    return SentRequest(webhook.url, {**headers, HEADER: signature}, body)


def _request_id(event: WebhookEvent) -> str:
    """Return the id of the request that the event is about; empty when its content has none."""
    return str(orjson.loads(event.body)["data"]["object"].get("requestId") or "")


def _sw_body(event: WebhookEvent) -> bytes:
    """Return the notification of SW's batch service: its three members, then those of the event."""
    content = orjson.loads(event.body)["data"]["object"]
    known = {name: content.get(name, "") for name in SW_MEMBERS}
    return orjson.dumps({**known, **content, "eventId": event.id, "type": event.kind})
