"""A database and a backup of version 0.1.0 are read by this version."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from sqlalchemy import select
from tests.support import version_0_1_0 as old
from tests.support.databases import need_postgresql, postgresql_database
from tests.support.events import list_events

from timbra.accounts.build import account_services
from timbra.accounts.store.models import AccountHolder
from timbra.app.composition import Container, open_container
from timbra.backup.restore import restore
from timbra.database.build import opened_database
from timbra.database.migrate import newest_version, stored_version
from timbra.operations.build import operations_services
from timbra.rejections.store import RejectionFilter, RejectionStore
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.store.tables import SANDBOX_AUTO_REPLY, SANDBOX_DOCUMENT
from timbra.settings import Settings
from timbra.stamping.build import stamping_services
from timbra.stamps.usage import DailyUsage, UsageCounter

NOW = datetime.fromtimestamp(old.NOW / 1_000_000, UTC)


@pytest.fixture(scope="module")
def sqlite_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder of version 0.1.0 that this version has migrated."""
    folder = tmp_path_factory.mktemp("old") / "data"
    old.build_folder(folder)
    with open_container(Settings(data=folder)) as opened:
        opened.get(opened_database)
    return folder


@pytest.fixture(scope="module")
def postgresql_data(sqlite_data: Path) -> Iterator[str]:
    """The name of a database of version 0.1.0 that this version has migrated."""
    need_postgresql()
    with postgresql_database() as url:
        old.build_database(url)
        with open_container(Settings(data=sqlite_data, database_url=url)) as opened:
            opened.get(opened_database)
        yield url.rpartition("/")[2]


@pytest.fixture(params=["sqlite", "postgresql"])
def container(request: pytest.FixtureRequest, sqlite_data: Path, tmp_path: Path) -> Iterator[Container]:
    """Return a container of this version over a copy of the data of version 0.1.0."""
    folder = tmp_path / "data"
    shutil.copytree(sqlite_data, folder)
    if request.param == "sqlite":
        with open_container(Settings(data=folder)) as opened:
            yield opened
        return
    (folder / "timbra.db").unlink()
    with (
        postgresql_database(request.getfixturevalue("postgresql_data")) as url,
        open_container(Settings(data=folder, database_url=url)) as opened,
    ):
        yield opened


def test_open_container_migrates_a_database_of_0_1_0(container: Container) -> None:
    with container.get(opened_database).read() as connection:
        assert stored_version(connection) == newest_version() > old.NEWEST_MIGRATION


def test_stamps_and_events_of_0_1_0_are_read(container: Container) -> None:
    stamp = container.get(stamping_services).stamps.by_uuid(old.UUID)
    assert stamp is not None
    assert (stamp.cfdi, stamp.folio, stamp.stamped_at) == (old.DOCUMENT, "ñ-1", NOW)
    assert container.get(stamping_services).stamps.by_seal(b"\x01" * 32) == stamp
    [event] = [event for event in list_events(container.get(opened_database)) if event.kind == "stamped"]
    assert (event.subject, event.at, event.body) == (old.UUID, NOW, {"custom_id": "pedido 1"})


def test_deliveries_of_0_1_0_are_pending_or_dead(container: Container) -> None:
    rows = {row.subject: row for row in container.get(operations_services).outbox.list_pending(10)}
    assert {subject: (row.dead, row.attempts, row.reason) for subject, row in rows.items()} == {
        old.UUID: (False, 0, None),
        old.DEAD_UUID: (True, 90, None),
    }
    backlog = container.get(operations_services).outbox.backlog()
    assert (backlog.waiting, backlog.oldest, dict(backlog.dead)) == (1, NOW, {"stamp": 1})
    assert container.get(operations_services).outbox.requeue(old.DEAD_UUID) == 1
    assert {delivery.subject for delivery in container.get(operations_services).outbox.lease(10)} == {
        old.UUID,
        old.DEAD_UUID,
    }


def test_mail_of_0_1_0_is_pending_or_dead(container: Container) -> None:
    outbox = container.get(operations_services).email_outbox
    assert [(email.recipient, email.reason) for email in outbox.list_pending(dead_only=True)] == [
        ("luis@example.com", "550 no")
    ]
    assert [email.recipient for email in outbox.lease(10)] == ["ana@example.com"]
    assert outbox.requeue() == 1
    assert [(email.recipient, email.attempts) for email in outbox.lease(10)] == [("luis@example.com", 1)]


def test_accounts_and_balances_of_0_1_0_are_read(container: Container) -> None:
    account = container.get(account_services).users.get(old.GUID)
    assert (account.user, account.remaining, account.assigned, account.used) == ("Luis@Xenon.mx", 7, 10, 3)
    assert account.holder == AccountHolder("Xenón Industrial", old.RFC, "avisos@xenon.mx", "55 5555 5555")
    [entry] = container.get(account_services).balances.list_entries(account.account_id)
    assert (entry.stamps_in, entry.current, entry.comment, entry.at) == (10, 10, "Saldo inicial", NOW)
    assert container.get(account_services).balances.add(account.account_id, 5) == 12


def test_password_and_infinite_token_of_0_1_0_authenticate(container: Container) -> None:
    assert container.get(account_services).accounts.caller(f"Bearer {old.INFINITE_TOKEN}").user == "Luis@Xenon.mx"
    session = asyncio.run(container.get(account_services).accounts.authenticate("luis@xenon.mx", old.PASSWORD))
    assert container.get(account_services).accounts.caller(f"Bearer {session.token}").limited


def test_rejections_and_usage_of_0_1_0_are_read(container: Container) -> None:
    [stored] = RejectionStore(container.get(opened_database)).page(RejectionFilter(1)).rejections
    assert (stored.rejection.code, stored.rejection.request_id) == ("CFDI40102", "request-2")
    day = date(2025, 11, 20)
    assert UsageCounter(container.get(opened_database)).days(1, day, day) == {day: DailyUsage(1, 1)}


def test_sandbox_of_0_1_0_is_read(container: Container) -> None:
    taxpayer = container.get(sandbox_services).registry.taxpayer(old.RFC)
    assert taxpayer is not None
    assert (taxpayer.rfc, taxpayer.name) == (old.RFC, "XENON INDUSTRIAL ARTICLES")
    with container.get(opened_database).read() as connection:
        [document] = connection.execute(select(SANDBOX_DOCUMENT)).all()
        [reply] = connection.execute(select(SANDBOX_AUTO_REPLY)).all()
    assert (document.uuid, document.state, document.year) == (old.UUID, "Vigente", 2025)
    assert (reply.rfc, reply.outcome, reply.seconds) == ("XAXX010101000", "accepted", 60)


def test_restore_reads_a_backup_of_0_1_0(tmp_path: Path) -> None:
    old.build_folder(tmp_path / "data")
    old.build_backup(tmp_path / "data", tmp_path / "backup.tar.zst")
    folder = tmp_path / "restored"
    manifest = restore(tmp_path / "backup.tar.zst", folder, "sandbox", NOW).manifest
    assert (manifest.program, manifest.schema) == ("0.1.0", old.NEWEST_MIGRATION)
    assert (folder / "lists" / "LCO-1.list").read_bytes() == b"LCO"
    with open_container(Settings(data=folder)) as container:
        stamp = container.get(stamping_services).stamps.by_uuid(old.UUID)
        assert stamp is not None
        assert stamp.cfdi == old.DOCUMENT
        assert container.get(account_services).accounts.caller(f"Bearer {old.INFINITE_TOKEN}").user == "Luis@Xenon.mx"
        with container.get(opened_database).read() as connection:
            assert stored_version(connection) == newest_version()
