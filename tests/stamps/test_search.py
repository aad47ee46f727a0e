"""Search of stamps by the data of their documents."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from tests.support.store_records import NOON, MovableClock, insert_account, record

from timbra.core.errors import ServiceError
from timbra.database.database import Database, open_database
from timbra.database.tables.search import LISTED_DOCUMENT
from timbra.database.tables.stamps import STAMP
from timbra.stamps.conditions import fresh_branches, listed_branches
from timbra.stamps.document_index import DocumentIndex, IndexedDocument
from timbra.stamps.port import Claim
from timbra.stamps.repository import DatabaseStamps
from timbra.stamps.search import Found, Order, StampFilter, StampSearch, _keyset

ANA, BEA = 1, 2
BUYER = "AAA010101AAA"
MIDNIGHT = NOON + timedelta(hours=12)
"""The end of the day in central Mexico."""


@pytest.fixture(params=["fresh", "listed", "some"])
def search(request: pytest.FixtureRequest, database: Database) -> StampSearch:
    """Ana has stamped folios 0 to 9, one each hour, the even ones for a buyer; Bea has stamped folio 10.

    No stamp, each or some of them have their row.
    """
    records = [record(place, account=ANA, at=NOON + timedelta(hours=place)) for place in range(10)]
    records = [replace(one, receiver_rfc=BUYER) if int(one.folio) % 2 == 0 else one for one in records]
    own = replace(record(10, account=BEA, at=NOON - timedelta(minutes=1)), receiver_rfc="EKU9003173C9", serie="B")
    DatabaseStamps(database, MovableClock()).claim([Claim(one) for one in [*records, own]])
    for user, number in (("ana", ANA), ("bea", BEA)):
        insert_account(database, number, user)
    limit = {"fresh": 0, "some": 4, "listed": 100}[request.param]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("timbra.stamps.document_index.AT_ONCE", 4)
        DocumentIndex(database, lambda _: IndexedDocument((), "MXN"), MovableClock()).index(limit)
    return StampSearch(database)


def folios(search: StampSearch, wanted: StampFilter) -> list[str]:
    return [one.folio for one in search.page(wanted).stamps]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (StampFilter(ANA), "9 8 7 6 5 4 3 2 1 0"),
        (StampFilter(ANA, rfc=BUYER), "8 6 4 2 0"),
        (StampFilter(ANA, rfc="EKU9003173C9", since=NOON + timedelta(hours=8)), "9 8"),
        (StampFilter(ANA, since=NOON + timedelta(hours=2), until=NOON + timedelta(hours=4)), "3 2"),
        (StampFilter(ANA, serie="Ñ", folio="7"), "7"),
        (StampFilter(ANA, serie="B", folio="7"), ""),
        (StampFilter(ANA, folio="10"), ""),
        (StampFilter(BEA, rfc="EKU9003173C9"), "10"),
        (StampFilter(BEA, rfc=BUYER), ""),
        (StampFilter(None, until=NOON + timedelta(hours=1)), "0 10"),
        (StampFilter(None, serie="B", folio="10"), "10"),
    ],
)
def test_page_applies_each_filter(search: StampSearch, wanted: StampFilter, found: str) -> None:
    assert folios(search, wanted) == found.split()


@pytest.mark.parametrize(("retenciones", "found"), [(None, "21 20 9"), (True, "21 20"), (False, "9")])
@pytest.mark.parametrize("account", [ANA, None])
def test_page_distinguishes_retenciones(
    search: StampSearch, database: Database, account: int | None, retenciones: bool | None, found: str
) -> None:
    records = [replace(record(place, account=ANA, at=NOON + timedelta(hours=place)), kind="R") for place in (20, 21)]
    DatabaseStamps(database, MovableClock()).claim([Claim(one) for one in records])
    wanted = StampFilter(account, since=NOON + timedelta(hours=9), retenciones=retenciones)
    assert folios(search, wanted) == found.split()


def test_page_returns_the_stamps_of_the_account_alone(search: StampSearch) -> None:
    uuid = search.page(StampFilter(BEA)).stamps[0].uuid

    assert folios(search, StampFilter(BEA, uuid=uuid)) == ["10"]
    assert folios(search, StampFilter(None, uuid=uuid)) == ["10"]
    assert folios(search, StampFilter(ANA, uuid=uuid)) == []
    assert folios(search, StampFilter(BEA, uuid=uuid, rfc=BUYER)) == []


@pytest.mark.parametrize("wanted", [StampFilter(ANA), StampFilter(None), StampFilter(ANA, rfc="EKU9003173C9")])
@pytest.mark.parametrize("ascending", [False, True])
@pytest.mark.parametrize("order", [order for order in Order if order is not Order.TOTAL])
def test_page_continues_at_its_cursor_in_both_directions(
    search: StampSearch, wanted: StampFilter, order: Order, *, ascending: bool
) -> None:
    read = partial(search.page, wanted, order=order, ascending=ascending)
    whole = [one.folio for one in read().stamps]
    pages, cursor = [read(limit=3)], None
    while (cursor := pages[-1].cursor) is not None:
        pages.append(read(cursor, limit=3))

    assert [one.folio for page in pages for one in page.stamps] == whole
    assert pages[0].before is None
    page = pages[-1]
    for earlier in reversed(pages[:-1]):
        page = read(page.before, limit=3)
        assert page == earlier


@pytest.mark.parametrize("cursor", ["x", "ñ", "AAAA", "f" * 22 + "AA"])
def test_page_rejects_a_foreign_cursor(search: StampSearch, cursor: str) -> None:
    with pytest.raises(ServiceError) as rejected:
        search.page(StampFilter(ANA), cursor)
    assert rejected.value.code == "TB4005"


@pytest.mark.parametrize("cursor", ["~" + "A" * 22, "W10", "WzEsMl0", "W251bGwsbnVsbCxudWxsXQ", "WyJcdTAwMDAiLCIiLDFd"])
def test_page_of_texts_rejects_a_foreign_cursor(search: StampSearch, cursor: str) -> None:
    with pytest.raises(ServiceError) as rejected:
        search.page(StampFilter(ANA), cursor, order=Order.FOLIO)
    assert rejected.value.code == "TB4005"


def test_page_reads_an_index_in_order(sqlite_address: str) -> None:
    """Assert that no step of SQLite's plan scans the table or sorts."""
    database = open_database(sqlite_address, "sandbox")
    several = {"issuer_rfc=?", "receiver_rfc=?"}
    for wanted, order, columns in (
        (StampFilter(1), Order.STAMPED, {"account_id=?"}),
        (StampFilter(1, rfc=BUYER), Order.STAMPED, several),
        (StampFilter(1, folio="1", since=NOON), Order.STAMPED, {"folio=? AND stamped_at>?"}),
        (StampFilter(1, retenciones=True), Order.STAMPED, {"kind=?"}),
        (StampFilter(1, kind="P"), Order.STAMPED, {"kind=?"}),
        *((StampFilter(1), order, {"account_id=?"}) for order in Order),
    ):
        steps: list[str] = []
        keyset = _keyset(LISTED_DOCUMENT.c, order, ascending=False)
        with database.read() as connection:
            for branch in listed_branches(connection, wanted, 0):
                query = keyset.query(branch.condition, None, 10).compile(
                    connection, compile_kwargs={"literal_binds": True}
                )
                steps += [row[-1] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}")]
        assert steps
        assert all("USING INDEX ix_listed_document_account_id" in step for step in steps), (order, steps)
        assert all(any(column in step for step in steps) for column in columns), (wanted, steps)
    database.close()


def test_page_reads_stamps_without_a_row_by_their_numbers(sqlite_address: str) -> None:
    database = open_database(sqlite_address, "sandbox")
    with database.read() as connection:
        [branch] = fresh_branches(connection, StampFilter(1), {}, 7, are_few=True)
        query = _keyset(STAMP.c, Order.STAMPED, ascending=False).query(branch, None, 10)
        text_ = query.compile(connection, compile_kwargs={"literal_binds": True})
        steps = [row[-1] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text_}")]
    database.close()
    assert "USING INDEX ix_stamp_cursor (cursor>?)" in steps[0]


def test_count_and_found_have_each_stamp_once(search: StampSearch) -> None:
    for wanted, number in (
        (StampFilter(ANA), 10),
        (StampFilter(None), 11),
        (StampFilter(ANA, rfc=BUYER), 5),
        (StampFilter(ANA, since=NOON + timedelta(hours=6)), 4),
        (StampFilter(ANA, since=MIDNIGHT), 0),
        (StampFilter(ANA, until=MIDNIGHT), 10),
        (StampFilter(ANA, kind="E"), 0),
        (StampFilter(ANA, retenciones=False), 10),
    ):
        assert search.count(wanted, 100) == number
        assert search.count(wanted, 3) == min(number, 3)
        assert search.found(wanted, 100) == Found(number)
    assert search.found(StampFilter(ANA, rfc=BUYER), 3) == Found(3, is_exact=False)
    assert search.found(StampFilter(ANA), 10) == Found(10)
