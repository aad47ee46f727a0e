"""Stamps of limited accounts: exactly what is stored is taken from the balance, whoever else stamps at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import select
from tests.store.records import MovableClock, claim

from timbra.accounts.records import NewAccount, insert_account
from timbra.store.database import Database, open_database
from timbra.store.port import Claim, CustomIdTaken, Exhausted, Outcome, Repeated, Stored
from timbra.store.stamps import DatabaseStamps
from timbra.store.tables.balances import BALANCE
from timbra.store.tables.stamps import CUSTOM_ID, EVENT, OUTBOX, STAMP

NODES = 4
Open = Callable[[], DatabaseStamps]


@pytest.fixture
def stamps(database: Database) -> Iterator[DatabaseStamps]:
    opened = DatabaseStamps(database, MovableClock())
    yield opened
    opened.close()


def account(database: Database, stamps: int) -> int:
    """A new limited account with that many stamps."""
    with database.write() as connection:
        new = NewAccount(f"user-{stamps}", "", "account", False, datetime(2026, 11, 1, tzinfo=UTC))
        number = insert_account(connection, 0, new)
        connection.execute(BALANCE.update().where(BALANCE.c.account_id == number).values(remaining=stamps))
    return number


def balance(database: Database, number: int) -> tuple[int, int]:
    """What remains and what was used."""
    with database.read() as connection:
        row = connection.execute(select(BALANCE).where(BALANCE.c.account_id == number)).one()
    return row.remaining, row.used


def limited(seal: int | str, number: int, custom_id: str | None = None) -> Claim:
    return replace(claim(seal, custom_id, account=number), limited=True)


def kinds(outcomes: list[Outcome]) -> list[type[Outcome]]:
    return [type(outcome) for outcome in outcomes]


def test_a_stamp_takes_one(database: Database, stamps: DatabaseStamps) -> None:
    number = account(database, 3)
    assert kinds(stamps.claim([limited(1, number)])) == [Stored]
    assert balance(database, number) == (2, 1)


def test_a_batch_gets_what_is_left_in_its_order(database: Database, stamps: DatabaseStamps) -> None:
    poor, rich = account(database, 2), account(database, 9)
    batch = [limited(1, poor), limited(2, rich), limited(3, poor), limited(4, poor), limited(5, rich), claim(6)]
    assert kinds(stamps.claim(batch)) == [Stored, Stored, Stored, Exhausted, Stored, Stored]
    assert (balance(database, poor), balance(database, rich)) == ((0, 2), (7, 2))


def test_what_is_refused_leaves_no_trace(database: Database, stamps: DatabaseStamps) -> None:
    number = account(database, 0)
    assert kinds(stamps.claim([limited(1, number, "pedido")])) == [Exhausted]
    with database.read() as connection:
        for table in (STAMP, EVENT, OUTBOX, CUSTOM_ID):
            assert connection.execute(select(table)).all() == []
    assert balance(database, number) == (0, 0)


@pytest.mark.parametrize("left", [0, 1, 5])
def test_who_loses_takes_nothing(database: Database, stamps: DatabaseStamps, left: int) -> None:
    """However much is left: the refusal of a repeat and of a customid goes before that of the balance."""
    number = account(database, left)
    stamps.claim([claim("old", account=number), claim("holder", "pedido", account=number)])
    batch = [limited("old", number), limited("other", number, "pedido"), limited("new", number)]
    last = Stored if left else Exhausted
    assert kinds(stamps.claim(batch)) == [Repeated, CustomIdTaken, last]
    assert balance(database, number) == (max(left - 1, 0), min(left, 1))


def test_twins_in_a_batch_take_one(database: Database, stamps: DatabaseStamps) -> None:
    number = account(database, 1)
    assert kinds(stamps.claim([limited(1, number), limited(1, number)])) == [Stored, Repeated]
    assert balance(database, number) == (0, 1)


def test_a_refused_claim_reserves_nothing_for_its_twin(database: Database, stamps: DatabaseStamps) -> None:
    poor, rich = account(database, 0), account(database, 1)
    assert kinds(stamps.claim([limited(1, poor), limited(1, rich)])) == [Exhausted, Stored]


def test_a_claim_that_is_repeated_after_a_lost_answer_takes_one(database: Database, stamps: DatabaseStamps) -> None:
    number = account(database, 5)
    wanted = limited(1, number)
    assert kinds(stamps.claim([wanted])) == kinds(stamps.claim([wanted])) == [Stored]
    assert balance(database, number) == (4, 1)


def test_an_account_without_a_balance_has_none_left(stamps: DatabaseStamps) -> None:
    assert kinds(stamps.claim([limited(1, 77)])) == [Exhausted]


def test_unlimited_accounts_touch_no_balance(database: Database, stamps: DatabaseStamps) -> None:
    number = account(database, 1)
    assert kinds(stamps.claim([claim(seal, account=number) for seal in range(3)])) == [Stored] * 3
    assert kinds(stamps.claim([claim("nobody", account=77)])) == [Stored]
    assert balance(database, number) == (1, 0)


def test_unlimited_accounts_cost_no_statement_more(database: Database, stamps: DatabaseStamps) -> None:
    """The table of balances can be locked by somebody, or gone: who needs none does not notice."""
    with database.write() as connection:
        BALANCE.drop(connection)
    assert kinds(stamps.claim([claim(1), claim(2, "pedido")])) == [Stored, Stored]


def test_nodes_never_go_below_zero(address: str, database: Database) -> None:
    """Several nodes empty two balances at once, in batches that name them in different orders."""
    first, second = account(database, 30), account(database, 17)

    def node(place: int) -> list[Outcome]:
        own = open_database(address, "sandbox")
        stamps = DatabaseStamps(own, MovableClock())
        try:
            outcomes: list[Outcome] = []
            for turn in range(10):
                accounts = (first, second) if (place + turn) % 2 else (second, first)
                batch = [limited(f"{place} {turn} {number}", number) for number in accounts * 2]
                outcomes += stamps.claim([limited("shared", first), *batch[:2], claim(f"free {place} {turn}")])
            return outcomes
        finally:
            stamps.close()
            own.close()

    with ThreadPoolExecutor(NODES) as pool:
        told = Counter(type(outcome) for outcomes in pool.map(node, range(NODES)) for outcome in outcomes)
    assert told[Stored] == 30 + 17 + NODES * 10
    assert told[Repeated] == NODES * 10 - 1
    assert balance(database, first) == (0, 30)
    assert balance(database, second) == (0, 17)
