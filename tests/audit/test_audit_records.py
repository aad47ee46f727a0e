"""What the services write to the audit log: settings, uses of keys and tokens, logins, faults, clock and lists."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import orjson
import pytest
from tests.accounts.support import MovableClock, rejected_async
from tests.support.events import list_audit_events
from tests.support.sandbox_app import SandboxApp

import timbra
from timbra.accounts.build import account_services
from timbra.app.composition import Container
from timbra.audit.build import audit_log
from timbra.audit.settings_record import record_settings, settings_values
from timbra.audit.texts import KIND_NAMES
from timbra.database.build import opened_database
from timbra.events.audit.events import AuditEvent
from timbra.events.build import audit_writer, use_counter
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.certificates import MintRequest
from timbra.sat.ports import stamping_provider
from timbra.settings import Settings

ANA, PASSWORD = "ana@example.com", "una contraseña larga"


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    opened = SandboxApp(Path(tmp_path_factory.mktemp("audit")) / "data")
    yield opened
    opened.container.close()


@pytest.fixture
def container(sandbox_app: SandboxApp) -> Container:
    return sandbox_app.container


def newest(container: Container, kind: str) -> AuditEvent:
    return list_audit_events(container.get(opened_database), kind)[-1]


def test_changed_settings_are_recorded_once_without_secrets(container: Container) -> None:
    database, audit = container.get(opened_database), container.get(audit_writer)
    first = Settings(data=Path("/data"), smtp_password="s3creto", log_level="info")
    second = Settings(data=Path("/data"), smtp_password="otro", log_level="debug")
    for settings in (first, first, second, second):
        record_settings(database, audit, settings, "node-1", b"key")
    record_settings(database, audit, second, "node-2", b"key")
    events = list_audit_events(database, "settings.changed")
    assert [event.subject for event in events] == ["node-1", "node-1", "node-2"]
    changed = orjson.loads(events[1].body)
    assert set(changed["after"]) == {"log_level", "smtp_password"}
    assert (changed["before"]["log_level"], changed["after"]["log_level"]) == (None, "debug")
    assert "s3creto" not in str(events)
    assert changed["before"]["smtp_password"].startswith("hmac ")


def test_settings_values_hide_the_password_of_the_database() -> None:
    settings = Settings(data=Path("/data"), database_url="postgresql+psycopg://timbra:s3creto@db/timbra")
    assert "s3creto" not in str(settings_values(settings, b"key"))


def test_logins_and_uses_are_counted(container: Container, monkeypatch: pytest.MonkeyPatch) -> None:
    accounts = container.get(account_services).accounts
    accounts.create("cuenta@example.com", PASSWORD)
    for _ in range(2):
        asyncio.run(accounts.authenticate("cuenta@example.com", PASSWORD))
    for user in ("cuenta@example.com", "nadie"):
        assert asyncio.run(rejected_async(accounts.authenticate, user, "mala")).code == "AU2000"
    token = accounts.create_infinite_token("cuenta@example.com")
    for _ in range(3):
        accounts.caller(f"Bearer {token}")
    container.get(use_counter).flush()
    later = MovableClock(container.wall.now() + timedelta(hours=2))
    monkeypatch.setattr(container.get(use_counter), "_wall", later)
    container.get(use_counter).roll_up()
    assert orjson.loads(newest(container, "login.succeeded").body)["count"] == 2
    failed = {
        event.actor: orjson.loads(event.body)
        for event in list_audit_events(container.get(opened_database), "login.failed")
    }
    assert {user: (body["count"], body["code"]) for user, body in failed.items()} == {
        "": (1, "AU2000"),
        "cuenta@example.com": (1, "AU2000"),
    }
    [live] = accounts.list_infinite_tokens("cuenta@example.com")
    used = newest(container, "token.used")
    assert (used.subject, orjson.loads(used.body)["count"]) == (live.token_id, 3)


def test_uses_of_keys_are_counted_by_key(container: Container) -> None:
    provider = container.get(stamping_provider)()
    assert provider is not None
    for _ in range(2):
        provider.signer.sign(b"cadena")
    counts = {
        key.subject: use.count for (key, _), use in container.get(use_counter)._uses.items() if key.kind == "key.used"
    }
    assert counts == {provider.certificate.number: 2}


def test_changes_of_clock_faults_and_lists_are_recorded(container: Container) -> None:
    sandbox = container.get(sandbox_services)
    sandbox.clock_control.set("2026-12-01T12:00:00")
    sandbox.clock_control.reset()
    sandbox.faults.set("latency", seconds=1)
    sandbox.faults.clear()
    body = orjson.loads(newest(container, "clock.changed").body)
    assert (set(body["before"]), body["after"]["offset"]) == ({"frozen_at", "offset"}, 0)
    assert newest(container, "fault.set").subject == "latency"
    assert newest(container, "fault.cleared").kind == "fault.cleared"
    container.get(sandbox_services).registry.refresh()
    assert orjson.loads(newest(container, "lists.published").body)["after"] == {"rows": 0}


def test_reset_of_the_sandbox_keeps_the_audit_log(container: Container) -> None:
    before = len(list_audit_events(container.get(opened_database)))
    container.get(sandbox_services).state.reset()
    container.get(audit_log).chain.run()
    assert len(list_audit_events(container.get(opened_database))) > before
    assert newest(container, "sandbox.reset").body.startswith('{"after"')
    assert container.get(audit_log).verify().findings == []


def test_an_issued_certificate_is_recorded_with_its_account(container: Container) -> None:
    account = container.get(account_services).accounts.create("emisora@example.com", PASSWORD).account_id
    minted = container.get(sandbox_services).certificates.mint(MintRequest("EKU9003173C9", account_id=account))
    event = newest(container, "certificate.issued")
    assert (event.subject, event.account_id) == (minted.number, account)
    assert orjson.loads(event.body)["after"] == {"kind": "CSD", "listed": True, "rfc": "EKU9003173C9"}
    assert minted.password not in event.body


def recorded_kinds() -> set[str]:
    """Return the kinds of events that the package writes to the audit log as literals."""
    writers = ("audit.record", "calls.record", "transaction.record", "_change")
    modules = [path.read_text("utf-8") for path in Path(timbra.__file__).parent.rglob("*.py")]
    calls = [
        node
        for module in modules
        if "record(" in module or "_change(" in module
        for node in ast.walk(ast.parse(module))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(writers)
    ]
    texts = [each.value for call in calls for each in call.args if isinstance(each, ast.Constant)]
    return {text for text in texts if isinstance(text, str) and "." in text}


def test_kinds_of_events_have_spanish_names() -> None:
    kinds = recorded_kinds()
    assert {"token.created", "efirma.stored", "received.requested", "received.stopped", "clock.changed"} <= kinds
    assert sorted(kinds - KIND_NAMES.keys()) == []
