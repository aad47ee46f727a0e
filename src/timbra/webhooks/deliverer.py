"""Delivers the events of webhooks: signed requests, retries with backoff, and the end of endpoints that stay broken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

import structlog

from timbra.core.bounds import Bound, BoundKind
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.core.trace_context import TRACEPARENT
from timbra.core.tracing import span
from timbra.database.database import Database
from timbra.database.tables.webhooks import AREA
from timbra.database.transaction import Transaction
from timbra.events.retry import doubling
from timbra.webhooks.http_sender import Answer, WebhookSender
from timbra.webhooks.kinds import WEBHOOK_DISABLED
from timbra.webhooks.notification import notification_request
from timbra.webhooks.secrets import WebhookSecrets
from timbra.webhooks.store.events import Occurrence, WebhookEvent, find_event, publish
from timbra.webhooks.store.models import Attempt, Webhook
from timbra.webhooks.store.outbox import WebhookDelivery, WebhookOutbox
from timbra.webhooks.store.repository import WebhookRepository

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.webhooks")

PAUSES = doubling(timedelta(seconds=5), timedelta(minutes=10))
"""Pause of an endpoint after each failure in a row: its other deliveries wait without an attempt."""
UNREACHABLE = frozenset({None, 429, 502, 503, 504})
"""Statuses that say nothing about the event: no answer, or that of a server without its program."""
FAILURES_OF_OUTAGE = 3
"""After so many failures in a row, the first success makes all that waits for the endpoint due."""
DISABLED_AFTER = timedelta(hours=72)
RETENTION = timedelta(days=30)
BATCH = 16
CONCURRENCY = 8
LONGEST_RUN = timedelta(seconds=20)
FAILING = "failing"
ENDED = "El destino está deshabilitado."

Notify = Callable[[Transaction, Webhook, datetime], None]
"""Writes the e-mail about a disabled endpoint, in the transaction that disables it."""


class WebhookDeliverer:
    """Sends the deliveries that are due; do not call it on the event loop. Several workers may run it at once.

    Args:
        database: the database.
        outbox: the deliveries.
        secrets: decrypts the secrets of endpoints.
        sender: sends requests.
        wall: wall time.
        notify: writes the e-mail about a disabled endpoint.
    """

    def __init__(
        self,
        database: Database,
        outbox: WebhookOutbox,
        secrets: WebhookSecrets,
        sender: WebhookSender,
        wall: Clock,
        notify: Notify = lambda *_: None,
    ) -> None:
        self._database = database
        self._outbox = outbox
        self._secrets = secrets
        self._sender = sender
        self._wall = wall
        self._notify = notify
        self._repository = WebhookRepository(database)
        self._pool = ThreadPoolExecutor(CONCURRENCY, "webhook")

    def send_pending(self) -> int:
        """Send what is due, for at most 20 s plus one attempt; return the number of delivered events."""
        end, delivered = self._wall.now() + LONGEST_RUN, 0
        while self._wall.now() < end and (leased := self._outbox.lease(BATCH)):
            groups: dict[str, list[WebhookDelivery]] = {}
            for delivery in leased:
                groups.setdefault(delivery.webhook_id, []).append(delivery)
            delivered += sum(self._pool.map(self._send_group, groups.values()))
        return delivered

    def expire(self) -> int:
        """Delete the events of more than 30 days ago with their log; return their number."""
        with self._database.write() as transaction:
            return self._repository.expire(transaction, self._wall.now() - RETENTION)

    def close(self) -> None:
        """End the threads; requests in progress end first."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _send_group(self, deliveries: Sequence[WebhookDelivery]) -> int:
        """Send deliveries of one endpoint one after the other; after a failure the others wait for its pause."""
        delivered = 0
        for number, delivery in enumerate(deliveries):
            if self._send(delivery):
                delivered += 1
                continue
            for waiting in deliveries[number + 1 :]:
                self._outbox.postpone(waiting, self._wall.now(), waiting.failure)
            break
        return delivered

    def _send(self, delivery: WebhookDelivery) -> bool:
        """Send one delivery; return whether the next one of its endpoint may follow."""
        with self._database.read() as connection:
            event = find_event(connection, delivery.event_id)
            webhook = self._repository.find(connection, delivery.webhook_id)
        if event is None or webhook is None:
            self._outbox.complete([delivery])
            return True
        if not webhook.enabled:
            self._outbox.mark_dead(delivery, ENDED)
            return True
        return self._attempt(delivery, webhook, event)

    def _attempt(self, delivery: WebhookDelivery, webhook: Webhook, event: WebhookEvent) -> bool:
        at, delivery_id = self._wall.now(), str(uuid4())
        try:
            request = notification_request(webhook, event, delivery_id, self._secrets, at)
            with span("webhook", parent=request.headers.get(TRACEPARENT, ""), timbra_event=event.kind) as sending:
                if sending is not None:
                    request = replace(request, headers={**request.headers, TRACEPARENT: sending.traceparent})
                answer = self._sender.send(request)
        except ServiceError as error:
            answer = Answer(None, f"El secreto del destino no se puede leer ({error.code}).", 0)
        attempt = Attempt(
            delivery_id,
            event.id,
            webhook.id,
            at,
            delivery.attempts,
            answer.status,
            answer.delivered,
            answer.text,
            answer.milliseconds,
        )
        if answer.delivered:
            with self._database.write() as transaction:
                values = {"failures": 0, "failing_since": None, "paused_until": None, "succeeded_at": at}
                self._repository.record(transaction, attempt, values)
            self._outbox.complete([delivery])
            if webhook.failures >= FAILURES_OF_OUTAGE:
                self._outbox.make_due_of(webhook.id)
            return True
        self._fail(delivery, webhook, attempt)
        return False

    def _fail(self, delivery: WebhookDelivery, webhook: Webhook, attempt: Attempt) -> None:
        now = self._wall.now()
        reason = attempt.answer if attempt.status is None else f"HTTP {attempt.status}"
        bound = log.bind(webhook=webhook.id, event_id=delivery.event_id, attempt=delivery.attempts, reason=reason)
        failing_since = webhook.failing_since or now
        paused_until = now + PAUSES[min(webhook.failures, len(PAUSES) - 1)]
        values = {"failures": webhook.failures + 1, "failing_since": failing_since, "paused_until": paused_until}
        ends = now - failing_since >= DISABLED_AFTER
        with self._database.write() as transaction:
            self._repository.record(transaction, attempt, values)
            if ends:
                self._disable(transaction, webhook, now)
        if ends:
            bound.error("webhook disabled")
        elif attempt.status in UNREACHABLE:
            bound.warning("webhook delivery postponed")
            self._outbox.postpone(delivery, paused_until, reason)
        elif self._outbox.retry(delivery, reason):
            bound.warning("webhook delivery rescheduled")
        else:
            bound.error("webhook delivery is a dead letter")

    def _disable(self, transaction: Transaction, webhook: Webhook, now: datetime) -> None:
        """Disable an endpoint that failed for too long, and tell its account by e-mail and by its other endpoints."""
        if not self._repository.disable(transaction, webhook.id, FAILING):
            return
        self._outbox.end_all(transaction, webhook.id, "El destino falló durante 72 horas y se deshabilitó.")
        self._database.bump(transaction, AREA)
        content = {"webhook": webhook.id, "url": webhook.url, "reason": FAILING}
        publish(transaction, Occurrence(webhook.account_id, WEBHOOK_DISABLED, webhook.id, now, content))
        self._notify(transaction, webhook, now)


BOUNDS = (Bound("WebhookDeliverer", BoundKind.POOL, f"{CONCURRENCY} deliveries", "Further events stay in the outbox."),)
