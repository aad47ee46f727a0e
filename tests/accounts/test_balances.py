"""Balances: adding and removing stamps, the entries, and their visibility on other nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import update
from tests.accounts.support import ENVELOPE, START, MovableClock, rejected
from tests.support.events import list_audit_events

from timbra.accounts.accounts import Accounts
from timbra.accounts.balances import Balances, EmptyBalanceCache
from timbra.accounts.store.models import BalanceEntry
from timbra.database.database import Database, open_database
from timbra.database.tables.balances import BALANCE

MAX_BALANCE = 2_147_483_647

Open = Callable[..., Accounts]


@pytest.fixture
def accounts(any_database: Database, wall: MovableClock) -> Iterator[Accounts]:
    opened = Accounts(any_database, ENVELOPE, "sandbox", wall, wall)
    yield opened
    opened.close()


@pytest.fixture
def balances(any_database: Database, wall: MovableClock) -> Balances:
    return Balances(any_database, wall, wall)


@pytest.fixture
def number(accounts: Accounts) -> int:
    return accounts.create("ana", "contraseña", unlimited=False).account_id


@pytest.mark.parametrize(("environment", "unlimited"), [("sandbox", True), ("production", False)])
def test_create_sets_unlimited_by_environment(
    any_database: Database, wall: MovableClock, environment: str, unlimited: bool
) -> None:
    accounts = Accounts(any_database, ENVELOPE, environment, wall, wall)
    made = accounts.create("ana", "una contraseña larga y rara")
    token = accounts.create_infinite_token("ana")
    assert (made.unlimited, made.remaining, accounts.caller(f"Bearer {token}").limited) == (unlimited, 0, not unlimited)
    accounts.close()


def test_add_and_remove_change_the_balance(balances: Balances, number: int, wall: MovableClock) -> None:
    assert balances.add(number, 10, "Compra", by=7) == 10
    wall.advance(60)
    assert balances.remove(number, 4) == 6
    account = balances.get(number)
    assert (account.remaining, account.assigned, account.used) == (6, 6, 0)
    taken, given = balances.list_entries(number)
    assert given == BalanceEntry(given.number, number, 10, 0, 10, "Compra", START, 7)
    assert taken == BalanceEntry(given.number + 1, number, 0, 4, 6, "", wall.now(), None)


def test_balance_remaining_is_assigned_minus_used(balances: Balances, number: int, any_database: Database) -> None:
    balances.add(number, 10)
    with any_database.write() as connection:
        connection.execute(update(BALANCE).values(remaining=7, used=3))
    balances.add(number, 5)
    balances.remove(number, 2)
    account = balances.get(number)
    assert (account.remaining, account.assigned, account.used) == (10, 13, 3)


def test_remove_rejects_more_than_the_balance(balances: Balances, number: int) -> None:
    balances.add(number, 3)
    rejection = rejected(balances.remove, number, 4)
    assert (rejection.code, rejection.detail) == ("TB4007", "Quedan 3 timbres.")
    assert balances.remove(number, 3) == 0
    assert len(balances.list_entries(number)) == 2


@pytest.mark.parametrize("stamps", [0, -1, MAX_BALANCE + 1])
def test_add_and_remove_reject_invalid_numbers(balances: Balances, number: int, stamps: int) -> None:
    assert {rejected(balances.add, number, stamps).code, rejected(balances.remove, number, stamps).code} == {"TB4005"}
    assert balances.list_entries(number) == []


def test_add_rejects_a_balance_above_32_bits(balances: Balances, number: int) -> None:
    assert balances.add(number, MAX_BALANCE) == MAX_BALANCE
    assert rejected(balances.add, number, 1).code == "TB4005"


@pytest.mark.parametrize("comment", ["\x00", "renglón\notro", "x" * 501, "\ud800"])
def test_add_validates_the_comment(balances: Balances, number: int, comment: str) -> None:
    assert rejected(balances.add, number, 1, comment).code == "TB4005"
    assert balances.get(number).remaining == 0


def test_balances_reject_an_unknown_account(balances: Balances) -> None:
    for call in (balances.get, balances.set_unlimited):
        assert rejected(call, *(77, True)[: 1 if call == balances.get else 2]).code == "user-unknown"
    assert rejected(balances.add, 77, 1).code == rejected(balances.remove, 77, 1).code == "user-unknown"


def test_list_entries_returns_pages(balances: Balances, number: int) -> None:
    for stamps in range(1, 6):
        balances.add(number, stamps)
    first = balances.list_entries(number, limit=2)
    second = balances.list_entries(number, before=first[-1].number, limit=2)
    assert [one.stamps_in for one in (*first, *second)] == [5, 4, 3, 2]


def test_set_unlimited_changes_the_caller_on_every_node(
    accounts: Accounts, balances: Balances, number: int, any_address: str, wall: MovableClock
) -> None:
    header = f"Bearer {accounts.create_infinite_token('ana')}"
    database = open_database(any_address, "sandbox")
    elsewhere = Accounts(database, ENVELOPE, "sandbox", wall, wall)
    for unlimited in (True, False):
        balances.set_unlimited(number, unlimited)
        database.poll()
        assert accounts.caller(header).limited is elsewhere.caller(header).limited is not unlimited
    elsewhere.close()
    database.close()


def test_empty_balance_cache_is_invalidated_when_any_balance_grows(
    any_database: Database, any_address: str, balances: Balances, number: int, wall: MovableClock
) -> None:
    empty = EmptyBalanceCache(any_database)
    assert not empty.is_empty(number)
    empty.put(number, empty.version)
    assert empty.is_empty(number)
    assert not empty.is_empty(number + 1)
    balances.add(number, 1)
    assert not empty.is_empty(number)
    empty.put(number, empty.version)
    balances.set_unlimited(number, True)
    assert not empty.is_empty(number)
    empty.put(number, empty.version)
    other = open_database(any_address, "sandbox")
    Balances(other, wall, wall).add(number, 1)
    other.close()
    any_database.poll()
    assert not empty.is_empty(number)


def test_empty_balance_cache_ignores_a_version_read_before_a_growth(
    any_database: Database, balances: Balances, number: int
) -> None:
    empty = EmptyBalanceCache(any_database)
    version = empty.version
    balances.add(number, 1)
    empty.put(number, version)
    assert not empty.is_empty(number)


def test_add_and_remove_are_atomic_when_concurrent(balances: Balances, number: int) -> None:
    with ThreadPoolExecutor(4) as pool:
        balances_after = list(pool.map(lambda _: balances.add(number, 1), range(20)))
    assert sorted(balances_after) == list(range(1, 21))
    assert [one.current for one in balances.list_entries(number)] == list(range(20, 0, -1))


def test_balances_write_the_audit_log(balances: Balances, number: int, any_database: Database) -> None:
    balances.add(number, 2)
    balances.remove(number, 1)
    balances.set_unlimited(number, True)
    balances.set_unlimited(number, False)
    events = [(event.kind, event.subject) for event in list_audit_events(any_database)]
    kinds = ["account.created", "balance.added", "balance.removed", "balance.unlimited", "balance.limited"]
    assert events == [(kind, "ana") for kind in kinds]
