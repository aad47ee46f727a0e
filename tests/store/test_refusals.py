"""Refused requests as they are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta

import pytest
from tests.store.records import NOON, MovableClock

from timbra.store.database import Database, open_database
from timbra.store.refusals import LISTING, Refusal, RefusalFilter, RefusalStore, _branches
from timbra.store.usage import DayUse, Usage

ONE = Refusal(
    account_id=1,
    at=NOON,
    fiscal_at=NOON,
    request_id="r-1",
    operation="/cfdi33/issue/v4",
    code="CFDI40147",
    detail="Comprobante: no está presente.",
    path="Receptor/@Rfc",
    found="x",
    expected=None,
    issuer_rfc="EKU9003173C9",
    receiver_rfc="XAXX010101000",
    serie="A",
    folio="1",
    document_hash="00" * 32,
    document=b"<Comprobante/>",
)
LATER = replace(
    ONE, at=NOON + timedelta(days=1), fiscal_at=NOON + timedelta(days=1), code="307", request_id="r-2", document=None
)
NOTHING: Mapping[tuple[int, date], int] = {}


@pytest.fixture
def store(database: Database) -> RefusalStore:
    made = RefusalStore(database)
    made.add([ONE, LATER], NOTHING)
    return made


def test_a_refusal_comes_back_whole(store: RefusalStore) -> None:
    later, one = store.page(RefusalFilter(1)).refusals

    assert (later.refusal, later.has_document) == (LATER, False)
    assert (one.refusal, one.has_document) == (replace(ONE, document=None), True)
    assert store.document(1, one.number) == ONE.document
    assert store.document(1, later.number) is None


@pytest.mark.parametrize(
    ("wanted", "codes"),
    [
        (RefusalFilter(1), ["307", "CFDI40147"]),
        (RefusalFilter(1, code="307"), ["307"]),
        (RefusalFilter(1, request_id="r-1"), ["CFDI40147"]),
        (RefusalFilter(1, rfc="XAXX010101000"), ["307", "CFDI40147"]),
        (RefusalFilter(1, rfc="AAA010101AAA"), []),
        (RefusalFilter(1, until=LATER.at), ["CFDI40147"]),
        (RefusalFilter(1, since=LATER.at), ["307"]),
        (RefusalFilter(2), []),
    ],
)
def test_each_filter_finds_what_is_meant(store: RefusalStore, wanted: RefusalFilter, codes: list[str]) -> None:
    assert [one.refusal.code for one in store.page(wanted).refusals] == codes


def test_pages_follow_each_other(store: RefusalStore) -> None:
    first = store.page(RefusalFilter(1), limit=1)
    second = store.page(RefusalFilter(1), first.cursor, limit=1)

    assert [page.refusals[0].refusal.code for page in (first, second)] == ["307", "CFDI40147"]
    assert second.cursor is None


def test_a_document_is_given_to_its_account_alone(store: RefusalStore) -> None:
    number = store.page(RefusalFilter(1, request_id="r-1")).refusals[0].number

    assert store.document(2, number) is None
    assert store.document(None, number) == ONE.document


def test_refusals_count_by_day_and_so_do_lost_ones(database: Database, store: RefusalStore) -> None:
    store.add([], {(1, ONE.day): 40})

    used = Usage(database, MovableClock()).days(1, ONE.day, LATER.day)
    assert used == {ONE.day: DayUse(refusals=41), LATER.day: DayUse(refusals=1)}


def test_what_is_older_than_its_term_is_forgotten(store: RefusalStore) -> None:
    assert store.expire(LATER.at) == 1
    assert [one.refusal.code for one in store.page(RefusalFilter(1)).refusals] == ["307"]


@pytest.mark.parametrize(
    "wanted", [RefusalFilter(1), RefusalFilter(1, code="301"), RefusalFilter(1, rfc="AAA010101AAA")]
)
def test_searches_read_an_index_in_its_order(sqlite_address: str, wanted: RefusalFilter) -> None:
    """No step of SQLite's plan scans the table or sorts."""
    database = open_database(sqlite_address, "sandbox")
    steps: list[str] = []
    with database.read() as connection:
        for branch in _branches(wanted, [1]):
            query = LISTING.query(branch, None, 10).compile(connection, compile_kwargs={"literal_binds": True})
            steps += [row[-1] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}")]
    database.close()

    assert steps
    assert all("USING INDEX ix_refusal_account_id" in step for step in steps), steps
