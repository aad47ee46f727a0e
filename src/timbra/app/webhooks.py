"""Construction of webhooks: their administration, their sender, and the events that time causes."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from timbra.accounts.store.account_repository import AccountRepository
from timbra.app.mail import is_mail_enabled
from timbra.core.environments import ENVIRONMENTS
from timbra.events.notices import Notice, insert_notice
from timbra.webhooks.address_policy import AddressPolicy
from timbra.webhooks.endpoints import WebhookService
from timbra.webhooks.secrets import WebhookSecrets
from timbra.webhooks.store.outbox import WebhookOutbox

if TYPE_CHECKING:
    from timbra.app.stores import Stores
    from timbra.database.database import Database
    from timbra.database.transaction import Transaction
    from timbra.settings import Settings
    from timbra.webhooks.alerts import WebhookAlerts
    from timbra.webhooks.deliverer import Notify, WebhookDeliverer
    from timbra.webhooks.store.models import Webhook

TEXT = """Timbra dejó de enviar eventos a este destino de sus webhooks, porque falló durante 72 horas sin un solo éxito:

{url}

Corrija el destino y habilítelo de nuevo en la página «Webhooks» del portal. Ahí puede reenviar los eventos que no
llegaron; se guardan 30 días.
"""


def webhook_service(container: Stores) -> WebhookService:
    """Build the administration of endpoints."""
    database, wall = container.database, container.wall
    outbox, secrets = WebhookOutbox(database, wall), WebhookSecrets(container.envelope)
    return WebhookService(database, outbox, secrets, address_policy(container.settings), container.audit, wall)


def webhook_deliverer(container: Stores) -> WebhookDeliverer:
    """Build the sender of events, with the client of HTTP, which only the process for deliveries needs."""
    from timbra.webhooks.deliverer import WebhookDeliverer
    from timbra.webhooks.http_sender import WebhookSender

    settings, database, wall = container.settings, container.database, container.wall
    sender = WebhookSender(address_policy(settings), settings.webhook_timeout_seconds, settings.webhook_ca)
    outbox, secrets = WebhookOutbox(database, wall), WebhookSecrets(container.envelope)
    notify = _notice_writer(database) if is_mail_enabled(settings) else _no_notice
    return WebhookDeliverer(database, outbox, secrets, sender, wall, notify)


def webhook_alerts(container: Stores) -> WebhookAlerts:
    """Build the publisher of low balances and expiring certificates."""
    from timbra.webhooks.alerts import WebhookAlerts

    low = container.settings.webhook_low_balance
    return WebhookAlerts(container.database, container.webhook_subscriptions, container.fiscal, container.wall, low)


def address_policy(settings: Settings) -> AddressPolicy:
    """Return the addresses that webhooks may use: HTTPS only, but in a sandbox."""
    return AddressPolicy(settings.webhook_networks, not ENVIRONMENTS[settings.environment].is_sandbox)


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
