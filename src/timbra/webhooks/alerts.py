"""Events that time or use cause: certificates that expire soon, and balances that get low."""

from __future__ import annotations

from datetime import timedelta

from timbra.core.clock import Clock
from timbra.database.database import Database
from timbra.database.transaction import Transaction
from timbra.webhooks.kinds import BALANCE_LOW, CERTIFICATE_EXPIRING
from timbra.webhooks.store import alerts
from timbra.webhooks.store.events import Occurrence, publish
from timbra.webhooks.subscriptions import WebhookSubscriptions

SOON = timedelta(days=30)


class WebhookAlerts:
    """Publishes each condition once while it lasts; for a job that one worker of all nodes runs.

    Args:
        database: the database.
        subscriptions: the endpoints; without any for a kind, nothing is read.
        fiscal: fiscal time, by which certificates expire.
        wall: wall time.
        low_balance: stamps below which a balance is low.
    """

    def __init__(
        self, database: Database, subscriptions: WebhookSubscriptions, fiscal: Clock, wall: Clock, low_balance: int
    ) -> None:
        self._database = database
        self._subscriptions = subscriptions
        self._fiscal = fiscal
        self._wall = wall
        self._low_balance = low_balance

    def run(self) -> None:
        """Publish the conditions that are new, and forget those that ended."""
        if self._subscriptions.has(CERTIFICATE_EXPIRING):
            self._publish(CERTIFICATE_EXPIRING)
        if self._subscriptions.has(BALANCE_LOW):
            self._publish(BALANCE_LOW)

    def _publish(self, kind: str) -> None:
        with self._database.write() as transaction:
            present = self._present(transaction, kind)
            known = alerts.known(transaction, kind)
            alerts.forget(transaction, kind, known - {(one.account_id, one.subject) for one in present})
            for occurrence in present:
                if (occurrence.account_id, occurrence.subject) not in known and publish(transaction, occurrence):
                    alerts.remember(transaction, occurrence)

    def _present(self, transaction: Transaction, kind: str) -> list[Occurrence]:
        now = self._wall.now()
        if kind == CERTIFICATE_EXPIRING:
            fiscal = self._fiscal.now()
            return alerts.expiring_certificates(transaction, fiscal, fiscal + SOON, now)
        return alerts.low_balances(transaction, self._low_balance, now)
