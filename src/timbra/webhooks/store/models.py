"""Endpoints and the log of their deliveries, as the database stores them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

EVENTS: Final = "events"
SW_BATCH: Final = "sw-batch"
FORMATS: Final = (EVENTS, SW_BATCH)


@dataclass(frozen=True, slots=True)
class Webhook:
    """An endpoint of an account.

    Attributes:
        format: `EVENTS`: signed JSON; `SW_BATCH`: the notification of SW's batch service, with Basic authentication.
        events: The kinds that it gets.
        disabled_reason: Empty for an enabled endpoint, `account`, or `failing` when the server disabled it.
        sealed_secret: Encrypted; see `timbra.webhooks.secrets`.
        sealed_previous: Encrypted; None unless it still signs.
        previous_until: End of the previous secret.
        failures: Attempts since the last success.
        failing_since: The first of them.
        paused_until: No delivery before this instant.
    """

    id: str
    account_id: int
    url: str
    format: str
    events: tuple[str, ...]
    description: str
    enabled: bool
    disabled_reason: str
    sealed_secret: bytes = field(repr=False)
    sealed_previous: bytes | None = field(repr=False)
    previous_until: datetime | None
    created_at: datetime
    failures: int = 0
    failing_since: datetime | None = None
    paused_until: datetime | None = None
    succeeded_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt to deliver an event.

    Attributes:
        delivery_id: The header `Timbra-Delivery-Id`.
        attempt: 1 for the first.
        status: Of HTTP; None without an answer.
        answer: The beginning of the answer's body, or why there was none.
    """

    delivery_id: str
    event_id: str
    webhook_id: str
    at: datetime
    attempt: int
    status: int | None
    delivered: bool
    answer: str
    milliseconds: int


@dataclass(frozen=True, slots=True)
class DeliveryLine:
    """An event of an endpoint, for its delivery log.

    Attributes:
        state: `delivered`, `waiting`, `failed` for a dead letter.
        attempts: Attempts that were made.
        due_at: The next attempt; None without one.
        last: The last attempt; None before the first one.
    """

    event_id: str
    kind: str
    subject: str
    created_at: datetime
    state: str
    attempts: int
    due_at: datetime | None
    last: Attempt | None
