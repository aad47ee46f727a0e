"""Keys of confirmation: one stamp each, on both databases and among several nodes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from unittest import mock

import pytest
from tests.support.store_records import NOON, MovableClock, claim

from timbra.database.database import Database, open_database
from timbra.database.tables.stamps import CONFIRMATION
from timbra.stamps import confirmations
from timbra.stamps.confirmations import ConfirmationKey, ConfirmationRepository
from timbra.stamps.port import AlreadyStamped, Claim, ConfirmationUsed, Outcome, Stored
from timbra.stamps.repository import DatabaseStamps

ISSUER = "EKU9003173C9"
NODES = 4


@pytest.fixture
def stamps(database: Database) -> Iterator[DatabaseStamps]:
    opened = DatabaseStamps(database, MovableClock())
    yield opened
    opened.close()


@pytest.fixture
def keys(database: Database) -> ConfirmationRepository:
    return ConfirmationRepository(database)


def with_key(seal: int | str, key: str | None, rfc: str = ISSUER) -> Claim:
    made = claim(seal)
    return replace(made, record=replace(made.record, issuer_rfc=rfc), confirmation=key)


def test_issued_keys_are_found_and_listed_newest_first(keys: ConfirmationRepository) -> None:
    issued = [
        keys.issue(ISSUER, account_id, NOON + timedelta(minutes=minute))
        for minute, account_id in enumerate((1, None, 2, 1))
    ]
    assert all(re.fullmatch("[A-Z2-9]{5}", one.key) for one in issued)
    assert [keys.find(one.key) for one in issued] == issued
    assert keys.find(issued[0].key.lower()) is None
    assert list(keys.latest(None, 10)) == issued[::-1]
    assert list(keys.latest(None, 2)) == issued[:1:-1]
    assert list(keys.latest(1, 10)) == [issued[3], issued[0]]
    assert keys.latest(3, 10) == []


def test_issue_never_gives_a_key_twice(keys: ConfirmationRepository) -> None:
    with mock.patch.object(confirmations, "ALPHABET", "AB"), mock.patch.object(confirmations, "LENGTH", 1):
        with mock.patch.object(confirmations, "ATTEMPTS", 200):
            given = {keys.issue(ISSUER, None, NOON).key for _ in range(2)}
        assert given == {"A", "B"}
        with pytest.raises(RuntimeError, match="no unused key"):
            keys.issue(ISSUER, None, NOON)


def test_claim_marks_its_key_with_the_folio_of_the_stamp(stamps: DatabaseStamps, keys: ConfirmationRepository) -> None:
    issued = keys.issue(ISSUER, 1, NOON)
    first, second = with_key("a", issued.key), with_key("b", issued.key)
    assert stamps.preview(first) == Stored(first.record)
    assert keys.find(issued.key) == issued
    assert stamps.claim([first]) == [Stored(first.record)]
    assert keys.find(issued.key) == ConfirmationKey(issued.key, ISSUER, 1, NOON, first.record.uuid)
    assert stamps.preview(second) == ConfirmationUsed(issued.key)
    assert stamps.claim([second]) == [ConfirmationUsed(issued.key)]
    assert stamps.by_seal(second.record.seal_hash) is None


def test_repeat_of_a_stamp_with_a_key_is_a_repeat(stamps: DatabaseStamps, keys: ConfirmationRepository) -> None:
    key = keys.issue(ISSUER, 1, NOON).key
    first = with_key("a", key)
    stamps.claim([first])
    assert stamps.claim([with_key("a", key)]) == [AlreadyStamped(first.record)]
    assert stamps.claim([first]) == [Stored(first.record)], "the response of the first one was lost"


@pytest.mark.parametrize("rfc", [ISSUER, "URE180429TM6"])
def test_key_is_that_of_its_issuer_alone(stamps: DatabaseStamps, keys: ConfirmationRepository, rfc: str) -> None:
    key = keys.issue(ISSUER, 1, NOON).key
    outcomes = stamps.claim([with_key("a", key, rfc), with_key("b", "NEVER"), with_key("c", None)])
    assert [type(outcome) for outcome in outcomes] == [
        Stored if rfc == ISSUER else ConfirmationUsed,
        ConfirmationUsed,
        Stored,
    ]


def test_claim_without_a_key_sends_no_more_statements(database: Database, stamps: DatabaseStamps) -> None:
    """Stamps without a key do not touch the table: it may be absent. A repeat reads the state of the database."""
    with database.write() as connection:
        CONFIRMATION.drop(connection)
    assert [type(one) for one in stamps.claim([claim(1), claim(2, "pedido")])] == [Stored, Stored]
    assert [type(one) for one in stamps.claim([claim(1), claim(3)])] == [AlreadyStamped, Stored]


def test_each_key_is_used_once_by_several_nodes(address: str, database: Database) -> None:
    """Every node claims every key, in batches that name them in different orders."""
    issued = [ConfirmationRepository(database).issue(ISSUER, 1, NOON).key for _ in range(12)]

    def node(place: int) -> list[tuple[str, Outcome]]:
        own = open_database(address, "sandbox")
        stamps = DatabaseStamps(own, MovableClock())
        try:
            outcomes: list[tuple[str, Outcome]] = []
            for turn in range(0, len(issued), 3):
                wanted = issued[turn : turn + 3] if place % 2 else issued[turn : turn + 3][::-1]
                batch = [with_key(f"{place} {key}", key) for key in wanted]
                outcomes += zip(wanted, stamps.claim(batch), strict=True)
            return outcomes
        finally:
            stamps.close()
            own.close()

    with ThreadPoolExecutor(NODES) as pool:
        outcomes = [each for found in pool.map(node, range(NODES)) for each in found]
    stored = {key: outcome.record.uuid for key, outcome in outcomes if isinstance(outcome, Stored)}
    assert Counter(type(outcome) for _, outcome in outcomes) == {Stored: 12, ConfirmationUsed: 12 * (NODES - 1)}
    rows = ConfirmationRepository(database).latest(None, 100)
    assert {row.key: row.uuid for row in rows} == stored
