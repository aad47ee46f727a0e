"""Endpoints of accounts, and the delivery of their events."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.sandbox_app import SandboxApp
from tests.support.store_records import MovableClock
from tests.support.webhook_receiver import Receiver, receiving

from timbra import examples
from timbra.accounts.balances import Balances
from timbra.accounts.build import envelope_encryption
from timbra.accounts.certificates import certificate_services
from timbra.app.composition import open_container
from timbra.container.build import fiscal_clock
from timbra.core.clock import to_central_mexico
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.events.build import audit_writer, dispatch_events
from timbra.events.event_log import Event, append_events
from timbra.settings import Settings
from timbra.webhooks.address_policy import AddressPolicy
from timbra.webhooks.alerts import WebhookAlerts
from timbra.webhooks.build import webhook_service, webhook_subscriptions
from timbra.webhooks.deliverer import WebhookDeliverer
from timbra.webhooks.endpoints import NewWebhook, WebhookChange, WebhookService
from timbra.webhooks.http_sender import WebhookSender
from timbra.webhooks.kinds import DEFAULT_KINDS, KINDS
from timbra.webhooks.notification import signature_header
from timbra.webhooks.secrets import WebhookSecrets, rotate_webhook_keys
from timbra.webhooks.store.models import DeliveryLine, Webhook
from timbra.webhooks.store.outbox import WAITS, WebhookOutbox

BALANCE_LOW = "balance.low"
CERTIFICATE_EXPIRING = "certificate.expiring"
TEST = "webhook.test"
DISABLED_AFTER = timedelta(days=3)
MAX_ATTEMPTS = 12
MAX_WEBHOOKS = 20
SW_BATCH = "sw-batch"


@dataclass
class Setup:
    """A sandbox with a movable wall clock for webhooks, and a receiver."""

    app: SandboxApp
    receiver: Receiver
    clock: MovableClock
    webhooks: WebhookService
    deliverer: WebhookDeliverer
    told: list[str]

    @property
    def account(self) -> int:
        return self.app.caller.account_id

    def create(self, path: str = "/", **values: object) -> tuple[Webhook, str]:
        return self.webhooks.create(self.account, NewWebhook(self.receiver.url + path, **values))  # type: ignore[arg-type]

    def lines(self, webhook: Webhook) -> list[DeliveryLine]:
        return list(self.webhooks.lines(self.account, webhook.id))


@pytest.fixture(scope="module")
def shared() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def setup(tmp_path_factory: pytest.TempPathFactory, shared: Receiver) -> Iterator[Setup]:
    shared.requests.clear()
    shared.status, shared.answer = 204, b""
    app, clock, told = SandboxApp(tmp_path_factory.mktemp("webhooks")), MovableClock(), []
    container = app.container
    policy = AddressPolicy("127.0.0.0/8", requires_https=False)
    secrets, outbox = (
        WebhookSecrets(container.get(envelope_encryption)),
        WebhookOutbox(container.get(opened_database), clock),
    )
    outbox.retry_schedule = replace(outbox.retry_schedule, jitter=lambda: 0.5)
    webhooks = WebhookService(
        container.get(opened_database), outbox, secrets, policy, container.get(audit_writer), clock
    )
    deliverer = WebhookDeliverer(
        container.get(opened_database),
        outbox,
        secrets,
        WebhookSender(policy, 10),
        clock,
        lambda _transaction, webhook, _now: told.append(webhook.id),
    )
    yield Setup(app, shared, clock, webhooks, deliverer, told)
    deliverer.close()
    container.close()


def test_create_returns_the_secret_once_and_stores_it_encrypted(setup: Setup) -> None:
    webhook, secret = setup.create()
    assert secret.startswith("whsec_")
    assert webhook.events == DEFAULT_KINDS
    [stored] = setup.webhooks.list(setup.account)
    assert secret.encode() not in stored.sealed_secret
    assert WebhookSecrets(setup.app.container.get(envelope_encryption)).current(stored) == secret
    assert setup.create(events=["*"])[0].events == KINDS


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"events": ["cfdi.unknown"]}, "events"),
        ({"format": "xml"}, "format"),
        ({"description": "a" * 201}, "description"),
        ({"format": SW_BATCH}, "user"),
        ({"format": SW_BATCH, "user": "a:b", "password": "c"}, "user"),
        ({"format": SW_BATCH, "user": "a", "password": "c\n"}, "password"),
    ],
)
def test_create_rejects(setup: Setup, values: dict[str, object], field: str) -> None:
    with pytest.raises(ServiceError) as raised:
        setup.create("/", **values)
    assert raised.value.code == "TB4005"
    assert field in (raised.value.detail or "")


def test_create_limits_the_number_of_endpoints(setup: Setup) -> None:
    for _ in range(MAX_WEBHOOKS):
        setup.create()
    with pytest.raises(ServiceError, match="TB4005"):
        setup.create()


def test_changes_of_received_documents_are_events_of_their_account(setup: Setup) -> None:
    kinds = ["received.cancelled", "received.cancellation-pending", "received.article-69b", "received.different"]
    setup.create("/hook", events=kinds)
    now = setup.clock.now()
    with setup.app.container.get(opened_database).write() as connection:
        for account in (setup.account, setup.account + 1):
            append_events(connection, [Event(now, now, account, kind, "u1", "", {"uuid": "u1"}) for kind in kinds])
    dispatch_events(setup.app.container)

    assert setup.deliverer.send_pending() == 4
    bodies = [json.loads(received.body) for received in setup.receiver.requests]
    assert sorted(body["type"] for body in bodies) == sorted(kinds)
    assert {body["data"]["object"]["uuid"] for body in bodies} == {"u1"}


def test_test_event_is_signed_and_logged(setup: Setup) -> None:
    webhook, secret = setup.create("/hook", events=["batch.done"])
    event_id = setup.webhooks.send_test(setup.account, webhook.id)

    assert setup.deliverer.send_pending() == 1

    [received] = setup.receiver.requests
    body = json.loads(received.body)
    assert (body["id"], body["type"]) == (event_id, TEST)
    assert received.headers["Timbra-Event-Id"] == event_id
    at = int(setup.clock.now().timestamp())
    assert received.headers["Timbra-Signature"] == signature_header([secret], at, received.body)
    [line] = setup.lines(webhook)
    assert (line.state, line.attempts) == ("delivered", 1)
    assert line.last is not None
    assert (line.last.status, line.last.delivery_id) == (204, received.headers["Timbra-Delivery-Id"])


def test_rotation_signs_with_both_secrets_until_the_overlap_ends(setup: Setup) -> None:
    webhook, old = setup.create()
    new = setup.webhooks.rotate_secret(setup.account, webhook.id, timedelta(hours=1))
    for hours, secrets in ((0, [new, old]), (1, [new])):
        setup.clock.advance(hours=hours)
        setup.webhooks.send_test(setup.account, webhook.id)
        setup.deliverer.send_pending()
        received = setup.receiver.requests[-1]
        at = int(setup.clock.now().timestamp())
        assert received.headers["Timbra-Signature"] == signature_header(secrets, at, received.body)
    with pytest.raises(ServiceError, match="TB4005"):
        setup.webhooks.rotate_secret(setup.account, webhook.id, timedelta(days=8))


def test_failed_delivery_is_retried_with_backoff_and_then_a_dead_letter(setup: Setup) -> None:
    webhook, _ = setup.create()
    setup.webhooks.send_test(setup.account, webhook.id)
    setup.receiver.status, setup.receiver.answer = 500, b"boom"
    for wait in WAITS:
        begun = setup.clock.now()
        setup.deliverer.send_pending()
        [line] = setup.lines(webhook)
        assert line.due_at == begun + wait
        setup.clock.advance(seconds=wait.total_seconds())
    assert setup.clock.now() - line.created_at < DISABLED_AFTER
    setup.deliverer.send_pending()
    [line] = setup.lines(webhook)
    assert (line.state, line.attempts, line.due_at) == ("failed", MAX_ATTEMPTS, None)
    assert line.last is not None
    assert (line.last.status, line.last.answer) == (500, "boom")

    setup.receiver.status = 200
    assert setup.webhooks.redeliver(setup.account, webhook.id) == 1
    setup.clock.advance(minutes=10)
    assert setup.deliverer.send_pending() == 1
    assert setup.lines(webhook)[0].state == "delivered"


def test_failure_pauses_the_other_events_of_the_endpoint_only(setup: Setup) -> None:
    broken, _ = setup.create("/broken")
    sound, _ = setup.create("/sound")
    setup.receiver.status = 503
    for _ in range(3):
        setup.webhooks.send_test(setup.account, broken.id)
    setup.deliverer.send_pending()
    assert len(setup.receiver.requests) == 1
    assert sorted(line.attempts for line in setup.lines(broken)) == [0, 0, 1]
    setup.receiver.status = 200
    setup.webhooks.send_test(setup.account, sound.id)
    assert setup.deliverer.send_pending() == 1
    setup.clock.advance(seconds=5)
    assert setup.deliverer.send_pending() == 3
    [found] = [one for one in setup.webhooks.list(setup.account) if one.id == broken.id]
    assert (found.failures, found.failing_since) == (0, None)


def test_unreachable_endpoint_costs_no_attempts_and_its_first_success_sends_all(setup: Setup) -> None:
    webhook, _ = setup.create()
    events = [setup.webhooks.send_test(setup.account, webhook.id) for _ in range(3)]
    setup.receiver.status = 503
    for _ in range(20):
        assert setup.deliverer.send_pending() == 0
        setup.clock.advance(minutes=10)
    assert {line.state for line in setup.lines(webhook)} == {"waiting"}
    # Events that were answered with an error wait for hours.
    setup.receiver.status = 500
    for _ in range(3):
        setup.deliverer.send_pending()
        setup.clock.advance(minutes=10)
    setup.webhooks.send_test(setup.account, webhook.id)
    setup.receiver.status = 204
    assert setup.deliverer.send_pending() == len(events) + 1


def test_failing_event_is_not_repeated_with_each_success_of_others(setup: Setup) -> None:
    webhook, _ = setup.create()
    setup.webhooks.send_test(setup.account, webhook.id)
    setup.receiver.status = 500
    setup.deliverer.send_pending()
    setup.receiver.status = 204
    setup.webhooks.send_test(setup.account, webhook.id)
    setup.clock.advance(seconds=10)
    assert setup.deliverer.send_pending() == 1
    assert sorted(line.state for line in setup.lines(webhook)) == ["delivered", "waiting"]


def test_endpoint_that_failed_for_72_hours_is_disabled_and_told(setup: Setup) -> None:
    broken, _ = setup.create("/broken")
    other, _ = setup.create("/other")
    setup.receiver.status = 500
    setup.webhooks.send_test(setup.account, broken.id)
    setup.deliverer.send_pending()
    setup.clock.advance(seconds=DISABLED_AFTER.total_seconds())
    setup.webhooks.send_test(setup.account, broken.id)
    setup.deliverer.send_pending()

    found = setup.webhooks.find(setup.account, broken.id)
    assert (found.enabled, found.disabled_reason) == (False, "failing")
    assert setup.told == [broken.id]
    assert {line.state for line in setup.lines(broken)} == {"failed"}
    assert [line.kind for line in setup.lines(other)] == ["webhook.disabled"]
    with pytest.raises(ServiceError, match="TB4005"):
        setup.webhooks.redeliver(setup.account, broken.id)
    enabled = setup.webhooks.update(setup.account, broken.id, WebhookChange(enabled=True))
    assert (enabled.enabled, enabled.failing_since) == (True, None)


def test_redelivery_sends_the_same_event_again(setup: Setup) -> None:
    webhook, _ = setup.create()
    event_id = setup.webhooks.send_test(setup.account, webhook.id)
    setup.deliverer.send_pending()
    assert setup.webhooks.redeliver(setup.account, webhook.id, event_id) == 1
    setup.deliverer.send_pending()
    first, second = setup.receiver.requests
    assert first.body == second.body
    assert first.headers["Timbra-Delivery-Id"] != second.headers["Timbra-Delivery-Id"]
    assert len(setup.webhooks.attempts(setup.account, webhook.id, event_id)[1]) == 2
    with pytest.raises(ServiceError, match="TB4041"):
        setup.webhooks.redeliver(setup.account, webhook.id, "evt_unknown")


def test_events_of_a_document_are_sent_again_to_the_enabled_endpoints_that_they_are_for(setup: Setup) -> None:
    kind, now = "received.cancelled", setup.clock.now()
    first, _ = setup.create("/a", events=[kind])
    second, _ = setup.create("/b", events=[kind])
    setup.create("/c", events=["batch.done"])
    with setup.app.container.get(opened_database).write() as connection:
        append_events(
            connection, [Event(now, now, setup.account, kind, uuid, "", {"uuid": uuid}) for uuid in ("u1", "u2")]
        )
    dispatch_events(setup.app.container)
    assert setup.deliverer.send_pending() == 4
    setup.webhooks.update(setup.account, second.id, WebhookChange(enabled=False))
    setup.receiver.requests.clear()

    assert setup.webhooks.redeliver_document(setup.account, "U1") == 1
    assert setup.deliverer.send_pending() == 1
    [sent] = setup.receiver.requests
    assert (sent.path, json.loads(sent.body)["data"]["object"]["uuid"]) == ("/a", "u1")
    assert sorted(line.attempts for line in setup.lines(first)) == [1, 2]
    bea = setup.app.account("bea@example.com").account_id
    assert setup.webhooks.redeliver_document(bea, "u1") == 0


def test_endpoint_of_another_account_is_unknown(setup: Setup) -> None:
    webhook, _ = setup.create()
    bea = setup.app.account("bea@example.com").account_id
    for attempt in (
        lambda: setup.webhooks.find(bea, webhook.id),
        lambda: setup.webhooks.delete(bea, webhook.id),
        lambda: setup.webhooks.rotate_secret(bea, webhook.id),
        lambda: setup.webhooks.lines(bea, webhook.id),
        lambda: setup.webhooks.send_test(bea, webhook.id),
    ):
        with pytest.raises(ServiceError, match="TB4041"):
            attempt()


def test_delete_ends_the_deliveries(setup: Setup) -> None:
    webhook, _ = setup.create()
    setup.webhooks.send_test(setup.account, webhook.id)
    setup.webhooks.delete(setup.account, webhook.id)
    assert setup.deliverer.send_pending() == 0
    assert setup.receiver.requests == []


def test_sw_format_sends_three_members_first_with_basic_authentication(setup: Setup) -> None:
    webhook, secret = setup.create("/batch/webhook", format=SW_BATCH, user="sw", password="clave")
    assert secret == ""
    setup.webhooks.send_test(setup.account, webhook.id)
    setup.deliverer.send_pending()
    [received] = setup.receiver.requests
    assert received.headers["Authorization"] == f"Basic {b64encode(b'sw:clave').decode()}"
    assert list(json.loads(received.body))[:3] == ["urlOutput", "urlReport", "urlReportError"]
    assert "Timbra-Signature" not in received.headers
    with pytest.raises(ServiceError, match="TB4005"):
        setup.webhooks.rotate_secret(setup.account, webhook.id)


def test_issued_invoice_is_sent(setup: Setup) -> None:
    webhook, _ = setup.create(events=["cfdi.stamped"])
    setup.app.store(setup.app.mint())
    stamped = setup.app.issue(
        examples.ingreso({}, fecha=to_central_mexico(setup.app.now - timedelta(hours=1))).encode()
    )
    dispatch_events(setup.app.container)
    setup.clock.instant = setup.app.container.wall.now()
    assert setup.deliverer.send_pending() == 1
    assert json.loads(setup.receiver.requests[0].body)["data"]["object"]["uuid"] == stamped.uuid.lower()
    assert [line.kind for line in setup.lines(webhook)] == ["cfdi.stamped"]


def test_alerts_are_published_once_while_they_last(setup: Setup) -> None:
    webhook, _ = setup.create()
    app, container = setup.app, setup.app.container
    app.store(app.mint(valid_to=app.now + timedelta(days=10)))
    balances = Balances(container.get(opened_database), container.wall, container.get(fiscal_clock))
    balances.add(setup.account, 5)
    balances.set_unlimited(setup.account, False)
    alerts = WebhookAlerts(
        container.get(opened_database),
        container.get(webhook_subscriptions),
        container.get(fiscal_clock),
        setup.clock,
        100,
    )
    alerts.run()
    alerts.run()
    assert sorted(line.kind for line in setup.lines(webhook)) == [BALANCE_LOW, CERTIFICATE_EXPIRING]


def test_rotate_encrypts_the_secrets_with_the_current_master_key(setup: Setup) -> None:
    webhook, secret = setup.create()
    setup.webhooks.rotate_secret(setup.account, webhook.id)
    database, envelope = setup.app.container.get(opened_database), setup.app.container.get(envelope_encryption)
    with database.write() as transaction:
        assert rotate_webhook_keys(database, transaction, envelope) == 0
    assert secret in WebhookSecrets(envelope).valid(setup.webhooks.find(setup.account, webhook.id), setup.clock.now())


def test_a_new_master_key_encrypts_the_secrets_again(tmp_path: Path) -> None:
    old, new = (b64encode(bytes([number]) * 32).decode() for number in (1, 2))
    app = SandboxApp(tmp_path, master_key=old)
    account, webhooks = app.caller.account_id, app.container.get(webhook_service)
    webhook, secret = webhooks.create(account, NewWebhook("https://a.example/"))
    app.container.close()
    with open_container(Settings(data=tmp_path, master_key=new, previous_master_keys=old)) as container:
        container.get(certificate_services).vault.rotate()
    with open_container(Settings(data=tmp_path, master_key=new)) as container:
        found = container.get(webhook_service).find(account, webhook.id)
        assert WebhookSecrets(container.get(envelope_encryption)).current(found) == secret
