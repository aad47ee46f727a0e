"""Construction of webhooks, from the container: administration, sender, the events that time causes, and their jobs."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from timbra.accounts.build import envelope_encryption
from timbra.accounts.store.account_repository import AccountRepository
from timbra.container import Container
from timbra.container.build import fiscal_clock
from timbra.core.environments import ENVIRONMENTS
from timbra.database.build import opened_database
from timbra.database.database import Database
from timbra.database.transaction import Transaction
from timbra.events.build import audit_writer, dispatch_events
from timbra.events.consumers import Consumer
from timbra.events.notices import Notice, insert_notice
from timbra.settings import Settings
from timbra.settings.mail import is_mail_enabled
from timbra.web.server.feature_jobs import FeatureJobs, by_holder, once_in_cluster
from timbra.web.server.periodic_jobs import PeriodicJob
from timbra.webhooks.address_policy import PRIVATE_NETWORKS, AddressPolicy
from timbra.webhooks.alerts import WebhookAlerts
from timbra.webhooks.consumer import webhook_consumer
from timbra.webhooks.endpoints import WebhookService
from timbra.webhooks.secrets import WebhookSecrets
from timbra.webhooks.store.models import Webhook
from timbra.webhooks.store.outbox import WebhookOutbox
from timbra.webhooks.subscriptions import WebhookSubscriptions

if TYPE_CHECKING:
    from timbra.webhooks.deliverer import Notify, WebhookDeliverer

TEXT = """Timbra dejó de enviar eventos a este destino de sus webhooks, porque falló durante 72 horas sin un solo éxito:

{url}

Corrija el destino y habilítelo de nuevo en la página «Webhooks» del portal. Ahí puede reenviar los eventos que no
llegaron; se guardan 30 días.
"""


def webhook_service(container: Container) -> WebhookService:
    """Build the administration of endpoints."""
    database, wall = container.get(opened_database), container.wall
    outbox, secrets = WebhookOutbox(database, wall), WebhookSecrets(container.get(envelope_encryption))
    policy = address_policy(container.settings)
    return WebhookService(database, outbox, secrets, policy, container.get(audit_writer), wall)


def webhook_deliverer(container: Container) -> WebhookDeliverer:
    """Build the sender of events, with the client of HTTP, which only the process for deliveries needs."""
    from timbra.webhooks.deliverer import WebhookDeliverer
    from timbra.webhooks.http_sender import WebhookSender

    settings, database, wall = container.settings, container.get(opened_database), container.wall
    sender = WebhookSender(address_policy(settings), settings.webhook_timeout_seconds, settings.webhook_ca)
    outbox, secrets = WebhookOutbox(database, wall), WebhookSecrets(container.get(envelope_encryption))
    notify = _notice_writer(database) if is_mail_enabled(settings) else _no_notice
    deliverer = WebhookDeliverer(database, outbox, secrets, sender, wall, notify)
    container.closing.callback(deliverer.close)
    return deliverer


def webhook_subscriptions(container: Container) -> WebhookSubscriptions:
    """Build the cache of the kinds of events that accounts subscribe to."""
    return WebhookSubscriptions(container.get(opened_database))


def event_consumer(container: Container) -> Consumer:
    """Build the consumer of the event log that writes the events of webhooks."""
    return webhook_consumer(container.get(webhook_subscriptions).has)


def address_policy(settings: Settings) -> AddressPolicy:
    """Return the addresses that webhooks may use: public ones by HTTPS; in a sandbox also private ones and HTTP."""
    is_sandbox = ENVIRONMENTS[settings.environment].is_sandbox
    networks = settings.webhook_networks
    if networks is None:
        networks = PRIVATE_NETWORKS if is_sandbox else ""
    return AddressPolicy(networks, requires_https=not is_sandbox)


def _notice_writer(database: Database) -> Notify:
    accounts = AccountRepository()

    def write(transaction: Transaction, webhook: Webhook, now: datetime) -> None:
        account = accounts.find_by_id(transaction, webhook.account_id)
        recipient = "" if account is None else account.holder.notification_email or account.user
        if "@" in recipient:
            subject = f"webhook.disabled {webhook.id}"
            text = TEXT.format(url=webhook.url)
            insert_notice(database, transaction, Notice(subject, recipient, webhook.account_id, text, now, now))

    return write


def _no_notice(_transaction: Transaction, _webhook: Webhook, _now: datetime) -> None:
    """Write nothing: the server has no mail server."""


def _delivery_jobs(container: Container) -> list[PeriodicJob]:
    def send() -> None:
        # Here too: an event would wait for another run of this job otherwise.
        dispatch_events(container)
        container.get(webhook_deliverer).send_pending()

    def publish_alerts() -> None:
        get, low = container.get, container.settings.webhook_low_balance
        alerts = WebhookAlerts(get(opened_database), get(webhook_subscriptions), get(fiscal_clock), container.wall, low)
        alerts.run()

    def expire() -> None:
        container.get(webhook_deliverer).expire()

    return [
        by_holder(container, "webhooks", 0.5, send),
        once_in_cluster(container, "webhook alerts", 60, publish_alerts),
        once_in_cluster(container, "expire webhooks", 3600, expire),
    ]


SERVICES = {WebhookService: webhook_service}
CONSUMERS = (event_consumer,)
JOBS = FeatureJobs(delivery=_delivery_jobs)
