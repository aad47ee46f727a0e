"""Balances: what gives and takes stamps, what is written of it, and who learns of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select, update
from tests.accounts.support import ENVELOPE, START, MovableClock, refused

from timbra.accounts.accounts import Accounts
from timbra.accounts.balances import MOST, Balances, Movement
from timbra.accounts.empty import EmptyBalances
from timbra.store.database import Database, open_database
from timbra.store.tables.balances import BALANCE
from timbra.store.tables.stamps import EVENT

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
def test_what_a_new_account_may_depends_on_the_environment(
    any_database: Database, wall: MovableClock, environment: str, unlimited: bool
) -> None:
    accounts = Accounts(any_database, ENVELOPE, environment, wall, wall)
    made = accounts.create("ana", "contraseña")
    token = accounts.create_infinite_token("ana")
    assert (made.unlimited, made.remaining, accounts.caller(f"Bearer {token}").limited) == (unlimited, 0, not unlimited)
    accounts.close()


def test_stamps_are_given_and_taken(balances: Balances, number: int, wall: MovableClock) -> None:
    assert balances.add(number, 10, "Compra", by=7) == 10
    wall.advance(60)
    assert balances.remove(number, 4) == 6
    account = balances.of(number)
    assert (account.remaining, account.assigned, account.used) == (6, 6, 0)
    taken, given = balances.movements(number)
    assert given == Movement(given.number, number, 10, 0, 10, "Compra", START, 7)
    assert taken == Movement(given.number + 1, number, 0, 4, 6, "", wall.now(), None)


def test_what_remains_is_what_was_assigned_and_not_used(
    balances: Balances, number: int, any_database: Database
) -> None:
    balances.add(number, 10)
    with any_database.write() as connection:
        connection.execute(update(BALANCE).values(remaining=7, used=3))
    balances.add(number, 5)
    balances.remove(number, 2)
    account = balances.of(number)
    assert (account.remaining, account.assigned, account.used) == (10, 13, 3)


def test_no_more_is_taken_than_there_is(balances: Balances, number: int) -> None:
    balances.add(number, 3)
    refusal = refused(balances.remove, number, 4)
    assert (refusal.code, refusal.detail) == ("TB4007", "Quedan 3 timbres.")
    assert balances.remove(number, 3) == 0
    assert len(balances.movements(number)) == 2


@pytest.mark.parametrize("stamps", [0, -1, MOST + 1])
def test_impossible_movements(balances: Balances, number: int, stamps: int) -> None:
    assert {refused(balances.add, number, stamps).code, refused(balances.remove, number, stamps).code} == {"TB4005"}
    assert balances.movements(number) == []


def test_a_balance_stays_a_number_that_clients_can_read(balances: Balances, number: int) -> None:
    assert balances.add(number, MOST) == MOST
    assert refused(balances.add, number, 1).code == "TB4005"


@pytest.mark.parametrize("comment", ["\x00", "renglón\notro", "x" * 501, "\ud800"])
def test_a_comment_is_one_line_that_can_be_kept(balances: Balances, number: int, comment: str) -> None:
    assert refused(balances.add, number, 1, comment).code == "TB4005"
    assert balances.of(number).remaining == 0


def test_an_unknown_account(balances: Balances) -> None:
    for call in (balances.of, balances.set_unlimited):
        assert refused(call, *(77, True)[: 1 if call == balances.of else 2]).code == "user-unknown"
    assert refused(balances.add, 77, 1).code == refused(balances.remove, 77, 1).code == "user-unknown"


def test_movements_come_in_pages(balances: Balances, number: int) -> None:
    for stamps in range(1, 6):
        balances.add(number, stamps)
    first = balances.movements(number, limit=2)
    second = balances.movements(number, before=first[-1].number, limit=2)
    assert [one.stamps_in for one in (*first, *second)] == [5, 4, 3, 2]


def test_the_switch_is_seen_by_tokens_here_and_elsewhere(
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


def test_an_empty_balance_is_known_until_any_grows(
    any_database: Database, any_address: str, balances: Balances, number: int, wall: MovableClock
) -> None:
    empty = EmptyBalances(any_database)
    assert not empty.is_known(number)
    empty.remember(number, empty.moment)
    assert empty.is_known(number)
    assert not empty.is_known(number + 1)
    balances.add(number, 1)
    assert not empty.is_known(number)
    empty.remember(number, empty.moment)
    balances.set_unlimited(number, True)
    assert not empty.is_known(number)
    empty.remember(number, empty.moment)
    other = open_database(any_address, "sandbox")
    Balances(other, wall, wall).add(number, 1)
    other.close()
    any_database.poll()
    assert not empty.is_known(number)


def test_what_grew_meanwhile_is_not_forgotten(any_database: Database, balances: Balances, number: int) -> None:
    empty = EmptyBalances(any_database)
    moment = empty.moment
    balances.add(number, 1)
    empty.remember(number, moment)
    assert not empty.is_known(number)


def test_movements_at_once_add_up(balances: Balances, number: int) -> None:
    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(lambda _: balances.add(number, 1), range(20)))
    assert sorted(told) == list(range(1, 21))
    assert [one.current for one in balances.movements(number)] == list(range(20, 0, -1))


def test_what_happened_is_in_the_event_log(balances: Balances, number: int, any_database: Database) -> None:
    balances.add(number, 2)
    balances.remove(number, 1)
    balances.set_unlimited(number, True)
    balances.set_unlimited(number, False)
    with any_database.read() as connection:
        told = connection.execute(select(EVENT.c.kind, EVENT.c.subject).order_by(EVENT.c.id)).all()
    kinds = ["account.created", "balance.added", "balance.removed", "balance.unlimited", "balance.limited"]
    assert told == [(kind, "ana") for kind in kinds]
