"""Administration of the webhooks of an account."""

from __future__ import annotations

import secrets as random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.core.text import find_unstorable
from timbra.database.database import Database
from timbra.database.transaction import Transaction
from timbra.events.audit.audit import Audit
from timbra.webhooks.address_policy import AddressPolicy
from timbra.webhooks.kinds import BATCH_DONE, DEFAULT_KINDS, KINDS, TEST
from timbra.webhooks.secrets import WebhookSecrets, new_secret
from timbra.webhooks.store.events import Occurrence, find_event, insert_event
from timbra.webhooks.store.models import EVENTS, FORMATS, SW_BATCH, Attempt, DeliveryLine, Webhook
from timbra.webhooks.store.outbox import WebhookOutbox
from timbra.webhooks.store.repository import WebhookRepository

MAX_WEBHOOKS = 20
MAX_DESCRIPTION = 200
MAX_CREDENTIAL = 200
MAX_OVERLAP = timedelta(days=7)
DEFAULT_OVERLAP = timedelta(hours=24)
MAX_LINES = 200
ALL = "*"
BY_ACCOUNT = "account"
SW_TEST = {"urlOutput": "", "urlReport": "", "urlReportError": ""}


@dataclass(frozen=True, slots=True)
class NewWebhook:
    """An endpoint to create.

    Attributes:
        events: Kinds of events, or `*` for all; empty for the default ones.
        format: One of `FORMATS`; `SW_BATCH` needs a user and a password and gets the end of batches only.
    """

    url: str
    events: Sequence[str] = ()
    description: str = ""
    format: str = EVENTS
    user: str = ""
    password: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class WebhookChange:
    """A change of an endpoint; None leaves the value as it is."""

    url: str | None = None
    events: Sequence[str] | None = None
    description: str | None = None
    enabled: bool | None = None


class WebhookService:
    """Reads and changes the endpoints of accounts; do not call it on the event loop.

    Every method that names an endpoint raises ServiceError("TB4041") when the account does not have it.
    """

    def __init__(
        self,
        database: Database,
        outbox: WebhookOutbox,
        secrets: WebhookSecrets,
        policy: AddressPolicy,
        audit: Audit,
        wall: Clock,
    ) -> None:
        self._database = database
        self._outbox = outbox
        self._secrets = secrets
        self.policy = policy
        self._audit = audit
        self._wall = wall
        self._repository = WebhookRepository(database)

    def list(self, account_id: int) -> Sequence[Webhook]:
        """Return the endpoints of an account, oldest first."""
        with self._database.read() as transaction:
            return self._repository.list_of(transaction, account_id)

    def find(self, account_id: int, webhook_id: str) -> Webhook:
        with self._database.read() as transaction:
            return self._own(transaction, account_id, webhook_id)

    def create(self, account_id: int, new: NewWebhook) -> tuple[Webhook, str]:
        """Create an endpoint.

        Returns:
            The endpoint and its secret, which is not shown again; an empty text for `SW_BATCH`.

        Raises:
            ServiceError: "TB4005" for an invalid value, and beyond the limit of endpoints.
        """
        self.policy.check_url(new.url)
        if new.format not in FORMATS:
            raise _invalid("format", f"debe ser {' o '.join(FORMATS)}")
        is_sw = new.format == SW_BATCH
        events = (BATCH_DONE,) if is_sw else checked_events(new.events)
        secret = _credentials(new) if is_sw else new_secret()
        webhook_id = f"wh_{random.token_hex(16)}"
        webhook = Webhook(
            id=webhook_id,
            account_id=account_id,
            url=new.url,
            format=new.format,
            events=events,
            description=_checked_description(new.description),
            enabled=True,
            disabled_reason="",
            sealed_secret=self._secrets.seal(webhook_id, secret),
            sealed_previous=None,
            previous_until=None,
            created_at=self._wall.now(),
        )
        with self._database.write() as transaction:
            if len(self._repository.list_of(transaction, account_id)) >= MAX_WEBHOOKS:
                raise ServiceError("TB4005", f"La cuenta ya tiene {MAX_WEBHOOKS} destinos.")
            self._repository.save(transaction, webhook)
            self._record(transaction, "webhook.created", webhook)
        return webhook, "" if is_sw else secret

    def update(self, account_id: int, webhook_id: str, change: WebhookChange) -> Webhook:
        """Change an endpoint. Disabling ends its waiting deliveries; enabling forgets its failures.

        Raises:
            ServiceError: "TB4005" for an invalid value.
        """
        if change.url is not None:
            self.policy.check_url(change.url)
        with self._database.write() as transaction:
            before = after = self._own(transaction, account_id, webhook_id)
            if change.url is not None:
                after = replace(after, url=change.url)
            if change.events is not None and after.format == EVENTS:
                after = replace(after, events=checked_events(change.events))
            if change.description is not None:
                after = replace(after, description=_checked_description(change.description))
            if change.enabled is not None and change.enabled != after.enabled:
                reason = "" if change.enabled else BY_ACCOUNT
                after = replace(after, enabled=change.enabled, disabled_reason=reason)
                after = replace(after, failures=0, failing_since=None, paused_until=None)
            self._repository.save(transaction, after)
            if not after.enabled:
                self._outbox.end_all(transaction, webhook_id, "El destino se deshabilitó.")
            self._audit.record(
                transaction, "webhook.changed", account_id, webhook_id, before=_facts(before), after=_facts(after)
            )
        return after

    def delete(self, account_id: int, webhook_id: str) -> None:
        """Delete an endpoint with its deliveries and its log."""
        with self._database.write() as transaction:
            webhook = self._own(transaction, account_id, webhook_id)
            self._repository.delete(transaction, webhook_id)
            self._record(transaction, "webhook.deleted", webhook)

    def rotate_secret(self, account_id: int, webhook_id: str, overlap: timedelta = DEFAULT_OVERLAP) -> str:
        """Replace the secret, and return the new one; the previous one signs too until the overlap ends.

        Raises:
            ServiceError: "TB4005" for an overlap of more than 7 days, and for an endpoint without a secret of its own.
        """
        if not timedelta() <= overlap <= MAX_OVERLAP:
            raise ServiceError("TB4005", f"El traslape va de 0 a {MAX_OVERLAP // timedelta(hours=1)} horas.")
        secret = new_secret()
        with self._database.write() as transaction:
            webhook = self._own(transaction, account_id, webhook_id)
            if webhook.format == SW_BATCH:
                raise ServiceError("TB4005", "El destino usa usuario y contraseña: bórrelo y créelo de nuevo.")
            rotated = replace(
                webhook,
                sealed_secret=self._secrets.seal(webhook_id, secret),
                sealed_previous=webhook.sealed_secret if overlap else None,
                previous_until=self._wall.now() + overlap if overlap else None,
            )
            self._repository.save(transaction, rotated)
            self._record(transaction, "webhook.sealed_secret-rotated", webhook)
        return secret

    def send_test(self, account_id: int, webhook_id: str) -> str:
        """Write the event `webhook.test` for one endpoint, whatever it subscribes to; return its identifier.

        Raises:
            ServiceError: "TB4005" for a disabled endpoint.
        """
        with self._database.write() as transaction:
            webhook = self._enabled(transaction, account_id, webhook_id)
            content: dict[str, object] = {"webhook": webhook_id}
            if webhook.format == SW_BATCH:
                content = {**SW_TEST, **content}
            occurrence = Occurrence(account_id, TEST, webhook_id, self._wall.now(), content)
            return insert_event(transaction, occurrence, [webhook_id]).id

    def lines(self, account_id: int, webhook_id: str, limit: int = 50) -> Sequence[DeliveryLine]:
        """Return the delivery log of an endpoint: its newest events, each with its last attempt."""
        with self._database.read() as transaction:
            self._own(transaction, account_id, webhook_id)
            return self._repository.lines(transaction, webhook_id, min(max(limit, 1), MAX_LINES))

    def attempts(self, account_id: int, webhook_id: str, event_id: str) -> tuple[str, Sequence[Attempt]]:
        """Return the body of an event of an endpoint, and its attempts, oldest first."""
        with self._database.read() as transaction:
            self._own(transaction, account_id, webhook_id)
            event = find_event(transaction, event_id)
            if event is None or not self._repository.has_event(transaction, webhook_id, event_id):
                raise ServiceError("TB4041", "El destino no tiene ese evento.")
            return event.body, self._repository.attempts_of(transaction, webhook_id, event_id)

    def redeliver(self, account_id: int, webhook_id: str, event_id: str | None = None) -> int:
        """Deliver an event again, also one that was delivered, or all dead letters for None; return how many.

        Raises:
            ServiceError: "TB4041" for an event that the endpoint does not have, "TB4005" for a disabled endpoint.
        """
        with self._database.write() as transaction:
            self._enabled(transaction, account_id, webhook_id)
            if event_id is not None and not (
                find_event(transaction, event_id) and self._repository.has_event(transaction, webhook_id, event_id)
            ):
                raise ServiceError("TB4041", "El destino no tiene ese evento.")
            count = self._outbox.resend(transaction, webhook_id, event_id)
            self._audit.record(
                transaction, "webhook.redelivered", account_id, webhook_id, {"event": event_id, "deliveries": count}
            )
        return count

    def redeliver_document(self, account_id: int, folio: str) -> int:
        """Deliver the events of a folio fiscal again to the enabled endpoints that they are for; return how many."""
        with self._database.read() as transaction:
            meant = self._repository.meant(transaction, account_id, folio.lower())
        return sum(self.redeliver(account_id, webhook_id, event_id) for event_id, webhook_id in meant)

    def _own(self, transaction: Transaction, account_id: int, webhook_id: str) -> Webhook:
        webhook = self._repository.find(transaction, webhook_id, account_id)
        if webhook is None:
            raise ServiceError("TB4041", "La cuenta no tiene ese destino.")
        return webhook

    def _enabled(self, transaction: Transaction, account_id: int, webhook_id: str) -> Webhook:
        webhook = self._own(transaction, account_id, webhook_id)
        if not webhook.enabled:
            raise ServiceError("TB4005", "El destino está deshabilitado; habilítelo antes.")
        return webhook

    def _record(self, transaction: Transaction, kind: str, webhook: Webhook) -> None:
        self._audit.record(transaction, kind, webhook.account_id, webhook.id, _facts(webhook))


def checked_events(events: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds of a list; the default ones for none, all of them for `*`.

    Raises:
        ServiceError: "TB4005" for an unknown kind.
    """
    chosen = [kind for kind in (one.strip() for one in events) if kind]
    if not chosen:
        return DEFAULT_KINDS
    if ALL in chosen:
        return KINDS
    unknown = [kind for kind in chosen if kind not in KINDS]
    if unknown:
        raise _invalid("events", f"trae un evento que no existe; los que hay son {', '.join(KINDS)}")
    return tuple(kind for kind in KINDS if kind in chosen)


def _checked_description(text: str) -> str:
    text = text.strip()
    if len(text) > MAX_DESCRIPTION or find_unstorable(text):
        raise _invalid("description", f"es un texto de hasta {MAX_DESCRIPTION} caracteres")
    return text


def _credentials(new: NewWebhook) -> str:
    """Return user and password as Basic authentication joins them (RFC 7617: no colon in the user)."""
    for name, text in (("user", new.user), ("password", new.password)):
        if not text or len(text) > MAX_CREDENTIAL or not text.isprintable() or find_unstorable(text):
            raise _invalid(name, f"es un texto de 1 a {MAX_CREDENTIAL} caracteres")
    if ":" in new.user:
        raise _invalid("user", "no admite dos puntos")
    return f"{new.user}:{new.password}"


def _facts(webhook: Webhook) -> dict[str, object]:
    return {
        "url": webhook.url,
        "format": webhook.format,
        "events": list(webhook.events),
        "description": webhook.description,
        "enabled": webhook.enabled,
    }


def _invalid(name: str, why: str) -> ServiceError:
    return ServiceError("TB4005", f"El campo {name} {why}.")
