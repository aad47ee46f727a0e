"""Users as administrators manage them: made with everything at once, found, changed, and gone for good."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func, select
from tests.accounts.support import ENVELOPE, START, MovableClock, refused, refused_async

from timbra.accounts.accounts import Accounts
from timbra.accounts.balances import Balances
from timbra.accounts.records import Account, Holder
from timbra.accounts.users import Change, Filters, NewUser, Users
from timbra.errors import ServiceError
from timbra.store.database import Database, open_database
from timbra.store.tables.accounts import ACCOUNT, INFINITE_TOKEN
from timbra.store.tables.balances import STAMP_MOVEMENT

HOLDER = Holder("Xenón Industrial", "XIA190128J61", "avisos@xenon.mx", "55 5555 5555")
NEW = NewUser("Luis@Xenon.mx", "Contraseña 1!", HOLDER, stamps=10)


class Desk:
    def __init__(self, database: Database, wall: MovableClock) -> None:
        self.database, self.wall = database, wall
        self.accounts = Accounts(database, ENVELOPE, "sandbox", wall, wall)
        self.balances = Balances(database, wall, wall)
        self.users = Users(database, self.accounts, self.balances, wall, wall)
        self.dealer = self.accounts.create("jefa", "contraseña", "administrator").account_id

    def create(self, user: str = NEW.user, **changes: object) -> tuple[Account, str]:
        return self.users.create(replace(NEW, user=user, **changes), self.dealer)  # type: ignore[arg-type]

    def listed(self, **filters: object) -> list[str]:
        return [user.user for user in self.users.page(Filters(**filters), 0, 100).users]  # type: ignore[arg-type]


@pytest.fixture
def desk(any_database: Database, wall: MovableClock) -> Iterator[Desk]:
    opened = Desk(any_database, wall)
    yield opened
    opened.accounts.close()


def test_a_user_is_made_with_everything(desk: Desk) -> None:
    made, token = desk.create()
    assert (made.user, made.role, made.active, made.holder) == ("Luis@Xenon.mx", "account", True, HOLDER)
    assert (made.dealer_id, made.created_at, made.password_at) == (desk.dealer, START, START)
    assert (made.unlimited, made.remaining, made.assigned, made.used) == (False, 10, 10, 0)
    assert str(UUID(made.guid)) == made.guid
    assert desk.users.one(made.guid.upper()) == made
    caller = desk.accounts.caller(f"Bearer {token}")
    assert (caller.account_id, caller.role, caller.limited) == (made.account_id, "account", True)
    [movement] = desk.balances.movements(made.account_id)
    assert (movement.stamps_in, movement.current, movement.by_account_id) == (10, 10, desk.dealer)


@pytest.mark.parametrize(
    ("stamps", "unlimited", "expected"),
    [(0, None, True), (5, None, False), (0, False, False), (5, True, True), (0, True, True)],
)
def test_whoever_gets_stamps_is_limited_unless_told_otherwise(
    desk: Desk, stamps: int, unlimited: bool | None, expected: bool
) -> None:
    made, _ = desk.create(stamps=stamps, unlimited=unlimited)
    assert (made.unlimited, made.remaining) == (expected, stamps)


def test_identifiers_of_accounts_are_their_own(desk: Desk) -> None:
    guids = {desk.create(f"{number}@x.mx")[0].guid for number in range(5)}
    assert len(guids) == 5
    assert all(UUID(guid).version == 4 for guid in guids)


@pytest.mark.parametrize("user", ["luis@xenon.mx", "LUIS@XENON.MX"])
def test_an_address_is_used_once(desk: Desk, user: str) -> None:
    desk.create()
    refusal = refused(desk.create, user)
    assert (refusal.code, refusal.detail) == ("user-email-taken", user)


def test_a_refused_user_leaves_nothing(desk: Desk) -> None:
    assert refused(desk.create, password="").code == "password-invalid"
    desk.create()
    refused(desk.create)
    with desk.database.read() as connection:
        for table, rows in ((ACCOUNT, 2), (INFINITE_TOKEN, 1), (STAMP_MOVEMENT, 1)):
            assert connection.execute(select(func.count()).select_from(table)).scalar_one() == rows


def test_users_are_found_by_filters(desk: Desk) -> None:
    made, _ = desk.create()
    desk.create("ana@otra.mx", holder=replace(HOLDER, tax_id="EKU9003173C9"))
    desk.accounts.set_active("ana@otra.mx", False)
    assert desk.listed() == ["jefa", "Luis@Xenon.mx", "ana@otra.mx"]
    assert desk.listed(guid=made.guid) == desk.listed(user="LUIS@xenon.mx") == ["Luis@Xenon.mx"]
    assert desk.listed(tax_id="eku9003173c9") == desk.listed(active=False) == ["ana@otra.mx"]
    assert desk.listed(active=True, tax_id="XIA190128J61") == ["Luis@Xenon.mx"]
    for nothing in ({"guid": str(uuid4())}, {"guid": "no"}, {"user": "\x00"}, {"tax_id": "\ud800"}, {"user": "luis"}):
        assert desk.listed(**nothing) == []


def test_pages(desk: Desk) -> None:
    for number in range(4):
        desk.create(f"{number}@x.mx")
    page = desk.users.page(Filters(), 1, 2)
    assert ([user.user for user in page.users], page.total) == (["0@x.mx", "1@x.mx"], 5)
    assert desk.users.page(Filters(), 5, 2).users == []


def test_a_change_leaves_what_it_does_not_name(desk: Desk) -> None:
    guid = desk.create()[0].guid
    desk.users.change(guid, Change(phone="1", unlimited=True))
    changed = desk.users.one(guid)
    assert changed.holder == replace(HOLDER, phone="1")
    assert (changed.unlimited, changed.active, changed.remaining) == (True, True, 10)
    desk.users.change(guid, Change(name="Otra", tax_id="EKU9003173C9", notification_email="a@b.mx", active=False))
    assert desk.users.one(guid).holder == Holder("Otra", "EKU9003173C9", "a@b.mx", "1")
    assert not desk.users.one(guid).active


def test_a_change_of_nothing_is_refused(desk: Desk) -> None:
    guid = desk.create()[0].guid
    same = Change(HOLDER.name, HOLDER.tax_id, HOLDER.notification_email, HOLDER.phone, unlimited=False, active=True)
    assert refused(desk.users.change, guid, Change()).code == "user-unchanged"
    assert refused(desk.users.change, guid, same).code == "user-unchanged"


def test_changes_are_seen_by_tokens_at_once(desk: Desk) -> None:
    made, token = desk.create()
    header = f"Bearer {token}"
    desk.users.change(made.guid, Change(unlimited=True))
    assert not desk.accounts.caller(header).limited
    desk.users.change(made.guid, Change(active=False))
    assert refused(desk.accounts.caller, header).code == "AU2002"


def test_a_deleted_user_is_shut_out_everywhere(desk: Desk, any_address: str) -> None:
    made, token = desk.create(stamps=0, unlimited=False)
    session = desk.accounts.session_token(NEW.user).token
    database = open_database(any_address, "sandbox")
    elsewhere = Accounts(database, ENVELOPE, "sandbox", desk.wall, desk.wall)
    elsewhere.caller(f"Bearer {session}")
    desk.users.delete(made.guid)
    database.poll()
    for accounts in (desk.accounts, elsewhere):
        assert {refused(accounts.caller, f"Bearer {one}").code for one in (token, session)} == {"AU4000"}
        assert asyncio.run(refused_async(accounts.authenticate, NEW.user, NEW.password)).code == "AU2000"
        assert refused(accounts.session_token, NEW.user).code == "account-unknown"
    elsewhere.close()
    database.close()
    assert desk.listed() == ["jefa"]
    assert desk.accounts.list_infinite_tokens() == []
    assert [account.user for account in desk.accounts.list_accounts()] == ["jefa"]


def test_what_a_deleted_user_was_stays(desk: Desk) -> None:
    made, _ = desk.create()
    desk.balances.remove(made.account_id, 10)
    desk.users.delete(made.guid)
    assert [one.current for one in desk.balances.movements(made.account_id)] == [0, 10]
    assert desk.users.guids([made.account_id]) == {made.account_id: made.guid}


def test_its_name_is_free_again_and_opens_nothing_of_the_old_one(desk: Desk) -> None:
    old, token = desk.create(stamps=0, unlimited=False)
    desk.users.delete(old.guid)
    new, _ = desk.create(password="otra")
    assert new.account_id != old.account_id
    assert asyncio.run(desk.accounts.authenticate(NEW.user, "otra")).token
    assert asyncio.run(refused_async(desk.accounts.authenticate, NEW.user, NEW.password)).code == "AU2000"
    assert refused(desk.accounts.caller, f"Bearer {token}").code == "AU4000"
    inside = f"{NEW.user} {old.account_id}"
    assert refused(desk.accounts.find, inside).code == "account-unknown"
    assert refused(desk.accounts.set_active, inside, True).code == "account-unknown"


@pytest.mark.parametrize(
    ("stamps", "unlimited", "code", "detail"),
    [(10, False, "user-has-stamps", "10"), (10, True, "user-unlimited", None), (0, True, "user-unlimited", None)],
)
def test_who_can_still_stamp_is_not_deleted(
    desk: Desk, stamps: int, unlimited: bool, code: str, detail: str | None
) -> None:
    made, token = desk.create(stamps=stamps, unlimited=unlimited)
    refusal = refused(desk.users.delete, made.guid)
    assert (refusal.code, refusal.detail) == (code, detail)
    desk.accounts.caller(f"Bearer {token}")


def test_unknown_and_deleted_are_told_apart(desk: Desk) -> None:
    guid = desk.create(stamps=0, unlimited=False)[0].guid
    desk.users.delete(guid)
    for one, code in (
        (guid, "user-removed"),
        (str(uuid4()), "user-unknown"),
        ("x", "user-unknown"),
        ("", "user-unknown"),
    ):
        assert refused(desk.users.delete, one).code == code
        assert refused(desk.users.change, one, Change(name="x")).code == code
        assert refused(desk.users.one, one).code == code


def test_stamps_that_are_on_their_way_keep_a_user(desk: Desk) -> None:
    """Whoever deletes waits for whoever gives."""
    made, _ = desk.create(stamps=0, unlimited=False)
    with ThreadPoolExecutor(1) as pool:
        with desk.database.write() as connection:
            desk.balances.give(connection, made.account_id, 3, "", None)
            deletion = pool.submit(desk.users.delete, made.guid)
            # Long enough for a deletion that does not wait.
            wait([deletion], timeout=0.3)
        refusal = deletion.exception()
    assert isinstance(refusal, ServiceError)
    assert (refusal.code, refusal.detail) == ("user-has-stamps", "3")


def test_a_deleted_account_gets_no_stamps(desk: Desk) -> None:
    made, _ = desk.create(stamps=0, unlimited=False)
    desk.users.delete(made.guid)
    assert refused(desk.balances.add, made.account_id, 1).code == "user-unknown"
    assert refused(desk.balances.set_unlimited, made.account_id, True).code == "user-unknown"
    assert desk.balances.movements(made.account_id) == []
