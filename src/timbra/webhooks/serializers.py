"""Webhooks, as the API writes them. The OpenAPI schemas are derived from the classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from timbra.core.clock import utc, utc_or_none
from timbra.web.envelopes import SuccessAnswer
from timbra.webhooks.store.models import Attempt, DeliveryLine, Webhook


@dataclass(frozen=True, slots=True)
class WebhookAnswer:
    """An endpoint, without its secret."""

    id: str
    url: str
    format: Annotated[str, "`events`: signed JSON; `sw-batch`: the notification of SW's batch service."]
    events: list[str]
    description: str
    enabled: bool
    disabledReason: Annotated[str, "Empty, `account`, or `failing` when the server disabled it."]
    created: str
    lastSuccess: str | None
    failingSince: str | None
    failures: Annotated[int, "Attempts since the last success."]
    previousSecretUntil: str | None


@dataclass(frozen=True, slots=True)
class WebhookCreatedAnswer:
    """A new endpoint."""

    webhook: WebhookAnswer
    secret: Annotated[str, "Shown only here; empty for `sw-batch`."] = field(repr=False)


@dataclass(frozen=True, slots=True)
class WebhookSecretAnswer:
    """The new secret of an endpoint."""

    secret: Annotated[str, "Shown only here."] = field(repr=False)


@dataclass(frozen=True, slots=True)
class WebhookAttemptAnswer:
    """One attempt to deliver an event."""

    deliveryId: str
    at: str
    attempt: int
    status: Annotated[int | None, "HTTP status; null without an answer."]
    delivered: bool
    answer: Annotated[str, "At most 1 KiB of the answer, or why there was none."]
    milliseconds: int


@dataclass(frozen=True, slots=True)
class WebhookDeliveryAnswer:
    """An event of an endpoint."""

    eventId: str
    type: str
    subject: str
    created: str
    state: Annotated[str, "`waiting`, `delivered`, or `failed` when the server does not try again by itself."]
    attempts: int
    nextAttempt: str | None
    last: WebhookAttemptAnswer | None


@dataclass(frozen=True, slots=True)
class WebhookEventAnswer:
    """An event with its attempts."""

    body: Annotated[str, "The JSON that was signed and sent."]
    attempts: list[WebhookAttemptAnswer]


@dataclass(frozen=True, slots=True)
class WebhookSentAnswer:
    """Events that will be sent."""

    eventId: Annotated[str | None, "Null for all failed deliveries."]
    deliveries: int


def webhook_answer(webhook: Webhook) -> WebhookAnswer:
    """Return an endpoint in the shape of the API."""
    return WebhookAnswer(
        webhook.id,
        webhook.url,
        webhook.format,
        list(webhook.events),
        webhook.description,
        webhook.enabled,
        webhook.disabled_reason,
        utc(webhook.created_at),
        utc_or_none(webhook.succeeded_at),
        utc_or_none(webhook.failing_since),
        webhook.failures,
        utc_or_none(webhook.previous_until),
    )


def attempt_answer(attempt: Attempt) -> WebhookAttemptAnswer:
    """Return an attempt in the shape of the API."""
    return WebhookAttemptAnswer(
        attempt.delivery_id,
        utc(attempt.at),
        attempt.attempt,
        attempt.status,
        attempt.delivered,
        attempt.answer,
        attempt.milliseconds,
    )


def delivery_answer(line: DeliveryLine) -> WebhookDeliveryAnswer:
    """Return a line of the delivery log in the shape of the API."""
    return WebhookDeliveryAnswer(
        line.event_id,
        line.kind,
        line.subject,
        utc(line.created_at),
        line.state,
        line.attempts,
        utc_or_none(line.due_at),
        None if line.last is None else attempt_answer(line.last),
    )


ANSWERS: dict[str, object] = {
    "Webhook": SuccessAnswer[WebhookAnswer],
    "WebhookList": SuccessAnswer[list[WebhookAnswer]],
    "WebhookCreated": SuccessAnswer[WebhookCreatedAnswer],
    "WebhookSecret": SuccessAnswer[WebhookSecretAnswer],
    "WebhookSent": SuccessAnswer[WebhookSentAnswer],
    "WebhookDeliveryList": SuccessAnswer[list[WebhookDeliveryAnswer]],
    "WebhookEvent": SuccessAnswer[WebhookEventAnswer],
}
