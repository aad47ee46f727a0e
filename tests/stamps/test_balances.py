"""Stamps of limited accounts: the balance decreases by the stored stamps exactly, also with concurrent nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import select
from tests.support.store_records import MovableClock, claim

from timbra.accounts.store.account_repository import AccountRepository
from timbra.accounts.store.models import NewAccount
from timbra.database.database import Database, open_database
from timbra.database.tables.balances import BALANCE
from timbra.database.tables.stamps import CUSTOM_ID, EVENT, STAMP
from timbra.stamps.port import AlreadyStamped, BalanceExhausted, Claim, CustomIdTaken, Outcome, Stored
from timbra.stamps.repository import DatabaseStamps

NODES = 4
Open = Callable[[], DatabaseStamps]


@pytest.fixture
def stamps(database: Database) -> Iterator[DatabaseStamps]:
    opened = DatabaseStamps(database, MovableClock())
    yield opened
    opened.close()


def account(database: Database, stamps: int) -> int:
    """Create a limited account with that many stamps and return its id."""
    with database.write() as connection:
        new = NewAccount(f"user-{stamps}", f"user-{stamps}", "", "account", False, datetime(2026, 11, 1, tzinfo=UTC))
        number = AccountRepository().insert(connection, 0, new)
        connection.execute(BALANCE.update().where(BALANCE.c.account_id == number).values(remaining=stamps))
    return number


def balance(database: Database, number: int) -> tuple[int, int]:
    """Return the remaining and the used stamps."""
    with database.read() as connection:
        row = connection.execute(select(BALANCE).where(BALANCE.c.account_id == number)).one()
    return row.remaining, row.used


def limited(seal: int | str, number: int, custom_id: str | None = None) -> Claim:
    return replace(claim(seal, custom_id, account=number), limited=True)


def kinds(outcomes: list[Outcome]) -> list[type[Outcome]]:
    return [type(outcome) for outcome in outcomes]


def test_claim_subtracts_one_stamp_from_the_balance(database: Database, stamps: DatabaseStamps) -> None:
    number = account(database, 3)
    assert kinds(stamps.claim([limited(1, number)])) == [Stored]
    assert balance(database, number) == (2, 1)


def test_claim_spends_the_balance_in_the_order_of_the_batch(database: Database, stamps: DatabaseStamps) -> None:
    poor, rich = account(database, 2), account(database, 9)
    batch = [limited(1, poor), limited(2, rich), limited(3, poor), limited(4, poor), limited(5, rich), claim(6)]
    assert kinds(stamps.claim(batch)) == [Stored, Stored, Stored, BalanceExhausted, Stored, Stored]
    assert (balance(database, poor), balance(database, rich)) == ((0, 2), (7, 2))


def test_claim_writes_nothing_when_the_balance_is_exhausted(database: Database, stamps: DatabaseStamps) -> None:
    number = account(database, 0)
    assert kinds(stamps.claim([limited(1, number, "pedido")])) == [BalanceExhausted]
    with database.read() as connection:
        for table in (STAMP, EVENT, CUSTOM_ID):
            assert connection.execute(select(table)).all() == []
    assert balance(database, number) == (0, 0)


@pytest.mark.parametrize("left", [0, 1, 5])
def test_claim_spends_nothing_for_repeated_seals_and_taken_customids(
    database: Database, stamps: DatabaseStamps, left: int
) -> None:
    """A repeated seal and a taken customid are reported before the balance is checked."""
    number = account(database, left)
    stamps.claim([claim("old", account=number), claim("holder", "pedido", account=number)])
    batch = [limited("old", number), limited("other", number, "pedido"), limited("new", number)]
    last = Stored if left else BalanceExhausted
    assert kinds(stamps.claim(batch)) == [AlreadyStamped, CustomIdTaken, last]
    assert balance(database, number) == (max(left - 1, 0), min(left, 1))


def test_claim_spends_one_stamp_for_equal_seals_of_a_batch(database: Database, stamps: DatabaseStamps) -> None:
    number = account(database, 1)
    assert kinds(stamps.claim([limited(1, number), limited(1, number)])) == [Stored, AlreadyStamped]
    assert balance(database, number) == (0, 1)


def test_claim_stores_an_equal_seal_after_a_rejected_claim(database: Database, stamps: DatabaseStamps) -> None:
    poor, rich = account(database, 0), account(database, 1)
    assert kinds(stamps.claim([limited(1, poor), limited(1, rich)])) == [BalanceExhausted, Stored]


def test_claim_spends_one_stamp_when_it_is_retried_after_a_lost_response(
    database: Database, stamps: DatabaseStamps
) -> None:
    number = account(database, 5)
    wanted = limited(1, number)
    assert kinds(stamps.claim([wanted])) == kinds(stamps.claim([wanted])) == [Stored]
    assert balance(database, number) == (4, 1)


def test_claim_is_exhausted_when_the_account_has_no_balance(stamps: DatabaseStamps) -> None:
    assert kinds(stamps.claim([limited(1, 77)])) == [BalanceExhausted]


def test_claim_leaves_the_balance_of_an_unlimited_account(database: Database, stamps: DatabaseStamps) -> None:
    number = account(database, 1)
    assert kinds(stamps.claim([claim(seal, account=number) for seal in range(3)])) == [Stored] * 3
    assert kinds(stamps.claim([claim("unlimited", account=77)])) == [Stored]
    assert balance(database, number) == (1, 0)


def test_claim_sends_no_more_statements_for_an_unlimited_account(database: Database, stamps: DatabaseStamps) -> None:
    """Unlimited accounts do not read the table of balances: it may be locked."""
    with database.write() as connection:
        BALANCE.drop(connection)
    assert kinds(stamps.claim([claim(1), claim(2, "pedido")])) == [Stored, Stored]


def test_claim_keeps_the_balance_at_zero_or_above_with_several_nodes(address: str, database: Database) -> None:
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
        outcome_counts = Counter(type(outcome) for outcomes in pool.map(node, range(NODES)) for outcome in outcomes)
    assert outcome_counts[Stored] == 30 + 17 + NODES * 10
    assert outcome_counts[AlreadyStamped] == NODES * 10 - 1
    assert balance(database, first) == (0, 30)
    assert balance(database, second) == (0, 17)
