"""User management by administrators: creation, search, changes and deletion."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import replace
from threading import Event
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, func, select, text
from tests.accounts.support import ENVELOPE, START, MovableClock, rejected, rejected_async
from tests.support.waiting import wait_until

from timbra.accounts.accounts import Accounts
from timbra.accounts.balances import Balances
from timbra.accounts.store.models import Account, AccountHolder, UserFilter
from timbra.accounts.users import AccountChange, NewUser, Users
from timbra.core.errors import ServiceError
from timbra.database.database import Database, open_database
from timbra.database.tables.accounts import ACCOUNT, INFINITE_TOKEN
from timbra.database.tables.balances import BALANCE_ENTRY

HOLDER = AccountHolder("Xenón Industrial", "XIA190128J61", "avisos@xenon.mx", "55 5555 5555")
NEW = NewUser("Luis@Xenon.mx", "Contraseña 1!", HOLDER, stamps=10)


class SandboxApp:
    def __init__(self, database: Database, wall: MovableClock) -> None:
        self.database, self.wall = database, wall
        self.accounts = Accounts(database, ENVELOPE, "sandbox", wall, wall)
        self.balances = Balances(database, wall, wall)
        self.users = Users(database, self.accounts, self.balances, wall, wall)
        self.dealer = self.accounts.create("jefa", "contraseña", "administrator").account_id

    def create(self, user: str = NEW.user, **changes: object) -> tuple[Account, str]:
        return self.users.create(replace(NEW, user=user, **changes), self.dealer)  # type: ignore[arg-type]

    def listed(self, **filters: object) -> list[str]:
        return [user.user for user in self.users.page(UserFilter(**filters), 0, 100).users]  # type: ignore[arg-type]


@pytest.fixture
def sandbox_app(any_database: Database, wall: MovableClock) -> Iterator[SandboxApp]:
    opened = SandboxApp(any_database, wall)
    yield opened
    opened.accounts.close()


def test_create_stores_every_field(sandbox_app: SandboxApp) -> None:
    made, token = sandbox_app.create()
    assert (made.user, made.role, made.active, made.holder) == ("Luis@Xenon.mx", "account", True, HOLDER)
    assert (made.dealer_id, made.created_at, made.password_at) == (sandbox_app.dealer, START, START)
    assert (made.unlimited, made.remaining, made.assigned, made.used) == (False, 10, 10, 0)
    assert str(UUID(made.guid)) == made.guid
    assert sandbox_app.users.get(made.guid.upper()) == made
    caller = sandbox_app.accounts.caller(f"Bearer {token}")
    assert (caller.account_id, caller.role, caller.limited) == (made.account_id, "account", True)
    [movement] = sandbox_app.balances.list_entries(made.account_id)
    assert (movement.stamps_in, movement.current, movement.by_account_id) == (10, 10, sandbox_app.dealer)


@pytest.mark.parametrize(
    ("stamps", "unlimited", "expected"),
    [(0, None, True), (5, None, False), (0, False, False), (5, True, True), (0, True, True)],
)
def test_create_limits_an_account_with_first_stamps(
    sandbox_app: SandboxApp, stamps: int, unlimited: bool | None, expected: bool
) -> None:
    made, _ = sandbox_app.create(stamps=stamps, unlimited=unlimited)
    assert (made.unlimited, made.remaining) == (expected, stamps)


def test_create_gives_each_account_a_guid(sandbox_app: SandboxApp) -> None:
    guids = {sandbox_app.create(f"{number}@x.mx")[0].guid for number in range(5)}
    assert len(guids) == 5
    assert all(UUID(guid).version == 4 for guid in guids)


@pytest.mark.parametrize("user", ["luis@xenon.mx", "LUIS@XENON.MX"])
def test_create_rejects_an_existing_user(sandbox_app: SandboxApp, user: str) -> None:
    sandbox_app.create()
    rejection = rejected(sandbox_app.create, user)
    assert (rejection.code, rejection.detail) == ("user-email-taken", user)


def test_create_writes_nothing_when_rejected(sandbox_app: SandboxApp) -> None:
    assert rejected(sandbox_app.create, password="").code == "password-invalid"
    sandbox_app.create()
    rejected(sandbox_app.create)
    with sandbox_app.database.read() as connection:
        for table, rows in ((ACCOUNT, 2), (INFINITE_TOKEN, 1), (BALANCE_ENTRY, 1)):
            assert connection.execute(select(func.count()).select_from(table)).scalar_one() == rows


def test_page_applies_each_filter(sandbox_app: SandboxApp) -> None:
    made, _ = sandbox_app.create()
    sandbox_app.create("ana@otra.mx", holder=replace(HOLDER, tax_id="EKU9003173C9"))
    sandbox_app.accounts.set_active("ana@otra.mx", False)
    assert sandbox_app.listed() == ["jefa", "Luis@Xenon.mx", "ana@otra.mx"]
    assert sandbox_app.listed(guid=made.guid) == sandbox_app.listed(user="LUIS@xenon.mx") == ["Luis@Xenon.mx"]
    assert sandbox_app.listed(tax_id="eku9003173c9") == sandbox_app.listed(active=False) == ["ana@otra.mx"]
    assert sandbox_app.listed(active=True, tax_id="XIA190128J61") == ["Luis@Xenon.mx"]
    for nothing in ({"guid": str(uuid4())}, {"guid": "no"}, {"user": "\x00"}, {"tax_id": "\ud800"}, {"user": "luis"}):
        assert sandbox_app.listed(**nothing) == []


def test_page_returns_offset_and_total(sandbox_app: SandboxApp) -> None:
    for number in range(4):
        sandbox_app.create(f"{number}@x.mx")
    page = sandbox_app.users.page(UserFilter(), 1, 2)
    assert ([user.user for user in page.users], page.total) == (["0@x.mx", "1@x.mx"], 5)
    assert sandbox_app.users.page(UserFilter(), 5, 2).users == []


def test_update_keeps_absent_fields(sandbox_app: SandboxApp) -> None:
    guid = sandbox_app.create()[0].guid
    sandbox_app.users.update(guid, AccountChange(phone="1", unlimited=True))
    changed = sandbox_app.users.get(guid)
    assert changed.holder == replace(HOLDER, phone="1")
    assert (changed.unlimited, changed.active, changed.remaining) == (True, True, 10)
    sandbox_app.users.update(
        guid, AccountChange(name="Otra", tax_id="EKU9003173C9", notification_email="a@b.mx", active=False)
    )
    assert sandbox_app.users.get(guid).holder == AccountHolder("Otra", "EKU9003173C9", "a@b.mx", "1")
    assert not sandbox_app.users.get(guid).active


def test_update_rejects_equal_values(sandbox_app: SandboxApp) -> None:
    guid = sandbox_app.create()[0].guid
    same = AccountChange(
        HOLDER.name, HOLDER.tax_id, HOLDER.notification_email, HOLDER.phone, unlimited=False, active=True
    )
    assert rejected(sandbox_app.users.update, guid, AccountChange()).code == "user-unchanged"
    assert rejected(sandbox_app.users.update, guid, same).code == "user-unchanged"


def test_update_changes_the_caller_at_once(sandbox_app: SandboxApp) -> None:
    made, token = sandbox_app.create()
    header = f"Bearer {token}"
    sandbox_app.users.update(made.guid, AccountChange(unlimited=True))
    assert not sandbox_app.accounts.caller(header).limited
    sandbox_app.users.update(made.guid, AccountChange(active=False))
    assert rejected(sandbox_app.accounts.caller, header).code == "AU2002"


def test_delete_ends_tokens_and_logins_on_every_node(sandbox_app: SandboxApp, any_address: str) -> None:
    made, token = sandbox_app.create(stamps=0, unlimited=False)
    session = sandbox_app.accounts.session_token(NEW.user).token
    database = open_database(any_address, "sandbox")
    elsewhere = Accounts(database, ENVELOPE, "sandbox", sandbox_app.wall, sandbox_app.wall)
    elsewhere.caller(f"Bearer {session}")
    sandbox_app.users.delete(made.guid)
    database.poll()
    for accounts in (sandbox_app.accounts, elsewhere):
        assert {rejected(accounts.caller, f"Bearer {one}").code for one in (token, session)} == {"AU4000"}
        assert asyncio.run(rejected_async(accounts.authenticate, NEW.user, NEW.password)).code == "AU2000"
        assert rejected(accounts.session_token, NEW.user).code == "account-unknown"
    elsewhere.close()
    database.close()
    assert sandbox_app.listed() == ["jefa"]
    assert sandbox_app.accounts.list_infinite_tokens() == []
    assert [account.user for account in sandbox_app.accounts.list_accounts()] == ["jefa"]


def test_delete_keeps_stamps_entries_and_events(sandbox_app: SandboxApp) -> None:
    made, _ = sandbox_app.create()
    sandbox_app.balances.remove(made.account_id, 10)
    sandbox_app.users.delete(made.guid)
    assert [one.current for one in sandbox_app.balances.list_entries(made.account_id)] == [0, 10]
    assert sandbox_app.users.guids([made.account_id]) == {made.account_id: made.guid}


def test_delete_frees_the_user_name_without_its_tokens(sandbox_app: SandboxApp) -> None:
    old, token = sandbox_app.create(stamps=0, unlimited=False)
    sandbox_app.users.delete(old.guid)
    new, _ = sandbox_app.create(password="otra")
    assert new.account_id != old.account_id
    assert asyncio.run(sandbox_app.accounts.authenticate(NEW.user, "otra")).token
    assert asyncio.run(rejected_async(sandbox_app.accounts.authenticate, NEW.user, NEW.password)).code == "AU2000"
    assert rejected(sandbox_app.accounts.caller, f"Bearer {token}").code == "AU4000"
    inside = f"{NEW.user} {old.account_id}"
    assert rejected(sandbox_app.accounts.find, inside).code == "account-unknown"
    assert rejected(sandbox_app.accounts.set_active, inside, True).code == "account-unknown"


@pytest.mark.parametrize(
    ("stamps", "unlimited", "code", "detail"),
    [(10, False, "user-has-stamps", "10"), (10, True, "user-unlimited", None), (0, True, "user-unlimited", None)],
)
def test_delete_rejects_accounts_with_stamps_or_without_a_limit(
    sandbox_app: SandboxApp, stamps: int, unlimited: bool, code: str, detail: str | None
) -> None:
    made, token = sandbox_app.create(stamps=stamps, unlimited=unlimited)
    rejection = rejected(sandbox_app.users.delete, made.guid)
    assert (rejection.code, rejection.detail) == (code, detail)
    sandbox_app.accounts.caller(f"Bearer {token}")


def test_get_distinguishes_unknown_and_deleted_accounts(sandbox_app: SandboxApp) -> None:
    guid = sandbox_app.create(stamps=0, unlimited=False)[0].guid
    sandbox_app.users.delete(guid)
    for one, code in (
        (guid, "user-removed"),
        (str(uuid4()), "user-unknown"),
        ("x", "user-unknown"),
        ("", "user-unknown"),
    ):
        assert rejected(sandbox_app.users.delete, one).code == code
        assert rejected(sandbox_app.users.update, one, AccountChange(name="x")).code == code
        assert rejected(sandbox_app.users.get, one).code == code


def waits_for_a_lock(database: Database) -> bool:
    """Return whether a PostgreSQL transaction waits; on SQLite, a transaction waits at its start."""
    if database.dialect == "sqlite":
        return True
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with database.read() as connection:
        return bool(connection.execute(text(query)).scalar_one())


def test_delete_waits_for_a_concurrent_addition_of_stamps(
    sandbox_app: SandboxApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The addition ends when the deletion waits for its lock."""
    made, _ = sandbox_app.create(stamps=0, unlimited=False)
    write, entered = sandbox_app.database.write, Event()

    def write_of_deletion() -> AbstractContextManager[Connection]:
        entered.set()
        return write()

    with ThreadPoolExecutor(1) as pool:
        with sandbox_app.database.write() as connection:
            sandbox_app.balances.add_within(connection, made.account_id, 3, "", None)
            monkeypatch.setattr(sandbox_app.database, "write", write_of_deletion)
            deletion = pool.submit(sandbox_app.users.delete, made.guid)
            wait_until(lambda: deletion.done() or (entered.is_set() and waits_for_a_lock(sandbox_app.database)))
            assert not deletion.done()
        rejection = deletion.exception()
    assert isinstance(rejection, ServiceError)
    assert (rejection.code, rejection.detail) == ("user-has-stamps", "3")


def test_add_rejects_a_deleted_account(sandbox_app: SandboxApp) -> None:
    made, _ = sandbox_app.create(stamps=0, unlimited=False)
    sandbox_app.users.delete(made.guid)
    assert rejected(sandbox_app.balances.add, made.account_id, 1).code == "user-unknown"
    assert rejected(sandbox_app.balances.set_unlimited, made.account_id, True).code == "user-unknown"
    assert sandbox_app.balances.list_entries(made.account_id) == []
