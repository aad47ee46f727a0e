"""The rejection log in the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta

import pytest
from tests.support.store_records import NOON, MovableClock

from timbra.database.database import Database, open_database
from timbra.rejections.store import LISTING, Rejection, RejectionFilter, RejectionStore, _branches
from timbra.stamps.usage import DailyUsage, UsageCounter

ONE = Rejection(
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
def store(database: Database) -> RejectionStore:
    made = RejectionStore(database)
    made.add([ONE, LATER], NOTHING)
    return made


def test_page_returns_every_field_of_a_rejection(store: RejectionStore) -> None:
    later, one = store.page(RejectionFilter(1)).rejections

    assert (later.rejection, later.has_document) == (LATER, False)
    assert (one.rejection, one.has_document) == (replace(ONE, document=None), True)
    assert store.document(1, one.number) == ONE.document
    assert store.document(1, later.number) is None


@pytest.mark.parametrize(
    ("wanted", "codes"),
    [
        (RejectionFilter(1), ["307", "CFDI40147"]),
        (RejectionFilter(1, code="307"), ["307"]),
        (RejectionFilter(1, request_id="r-1"), ["CFDI40147"]),
        (RejectionFilter(1, rfc="XAXX010101000"), ["307", "CFDI40147"]),
        (RejectionFilter(1, rfc="AAA010101AAA"), []),
        (RejectionFilter(1, until=LATER.at), ["CFDI40147"]),
        (RejectionFilter(1, since=LATER.at), ["307"]),
        (RejectionFilter(2), []),
    ],
)
def test_page_applies_each_filter(store: RejectionStore, wanted: RejectionFilter, codes: list[str]) -> None:
    assert [one.rejection.code for one in store.page(wanted).rejections] == codes


def test_count_by_code_counts_the_most_frequent_first(store: RejectionStore) -> None:
    store.add([replace(LATER, request_id="r-3"), replace(LATER, account_id=2)], NOTHING)

    assert store.count_by_code(1, NOON, 5) == [("307", 2), ("CFDI40147", 1)]
    assert store.count_by_code(None, LATER.at, 5) == [("307", 3)]
    assert store.count_by_code(1, NOON, 1) == [("307", 2)]


def test_page_continues_at_its_cursor(store: RejectionStore) -> None:
    first = store.page(RejectionFilter(1), limit=1)
    second = store.page(RejectionFilter(1), first.cursor, limit=1)

    assert [page.rejections[0].rejection.code for page in (first, second)] == ["307", "CFDI40147"]
    assert second.cursor is None


def test_document_is_returned_to_its_account_alone(store: RejectionStore) -> None:
    number = store.page(RejectionFilter(1, request_id="r-1")).rejections[0].number

    assert store.document(2, number) is None
    assert store.document(None, number) == ONE.document


def test_add_counts_stored_and_lost_rejections_by_day(database: Database, store: RejectionStore) -> None:
    store.add([], {(1, ONE.day): 40})

    used = UsageCounter(database, MovableClock()).days(1, ONE.day, LATER.day)
    assert used == {ONE.day: DailyUsage(rejections=41), LATER.day: DailyUsage(rejections=1)}


def test_expire_deletes_older_rejections(store: RejectionStore) -> None:
    assert store.expire(LATER.at) == 1
    assert [one.rejection.code for one in store.page(RejectionFilter(1)).rejections] == ["307"]


@pytest.mark.parametrize(
    "wanted", [RejectionFilter(1), RejectionFilter(1, code="301"), RejectionFilter(1, rfc="AAA010101AAA")]
)
def test_page_reads_an_index_in_order(sqlite_address: str, wanted: RejectionFilter) -> None:
    """Assert that no step of SQLite's plan scans the table or sorts."""
    database = open_database(sqlite_address, "sandbox")
    steps: list[str] = []
    with database.read() as connection:
        for branch in _branches(wanted, [1]):
            query = LISTING.query(branch, None, 10).compile(connection, compile_kwargs={"literal_binds": True})
            steps += [row[-1] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}")]
    database.close()

    assert steps
    assert all("USING INDEX ix_refusal_account_id" in step for step in steps), steps
