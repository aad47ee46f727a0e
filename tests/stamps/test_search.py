"""Search of stamps by the data of their documents."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text
from tests.support.store_records import NOON, MovableClock, record

from timbra.core.errors import ServiceError
from timbra.database.database import Database, open_database
from timbra.stamps.port import Claim
from timbra.stamps.repository import DatabaseStamps
from timbra.stamps.search import LISTING, StampFilter, StampSearch, _branches

ANA, BEA = 1, 2
BUYER = "AAA010101AAA"


@pytest.fixture
def search(database: Database) -> StampSearch:
    """Ana has stamped folios 0 to 9, one each hour, the even ones for a buyer; Bea has stamped folio 10."""
    records = [record(place, account=ANA, at=NOON + timedelta(hours=place)) for place in range(10)]
    records = [replace(one, receiver_rfc=BUYER) if int(one.folio) % 2 == 0 else one for one in records]
    own = replace(record(10, account=BEA, at=NOON - timedelta(minutes=1)), receiver_rfc="EKU9003173C9", serie="B")
    DatabaseStamps(database, MovableClock()).claim([Claim(one) for one in [*records, own]])
    for user, number in (("ana", ANA), ("bea", BEA)):
        _account(database, number, user)
    return StampSearch(database)


def _account(database: Database, number: int, user: str) -> None:
    with database.write() as connection:
        connection.execute(
            text(
                'INSERT INTO account (id, "user", name, password, generation, role, active, created_at, changed) '
                "VALUES (:id, :user, :user, '', 1, 'account', true, 0, 0)"
            ),
            {"id": number, "user": user},
        )


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
def test_page_continues_at_its_cursor(search: StampSearch, wanted: StampFilter) -> None:
    whole, cursor, paged = folios(search, wanted), None, []
    for _ in range(len(whole)):
        page = search.page(wanted, cursor, limit=3)
        paged += [one.folio for one in page.stamps]
        cursor = page.cursor
        if cursor is None:
            break

    assert cursor is None
    assert paged == whole


@pytest.mark.parametrize("cursor", ["x", "ñ", "AAAA", "f" * 22 + "AA"])
def test_page_rejects_a_foreign_cursor(search: StampSearch, cursor: str) -> None:
    with pytest.raises(ServiceError) as rejected:
        search.page(StampFilter(ANA), cursor)
    assert rejected.value.code == "TB4005"


def test_page_reads_an_index_in_order(sqlite_address: str) -> None:
    """Assert that no step of SQLite's plan scans the table or sorts."""
    database = open_database(sqlite_address, "sandbox")
    for wanted in (
        StampFilter(1),
        StampFilter(1, rfc=BUYER),
        StampFilter(1, serie="A", folio="1", since=NOON),
        StampFilter(1, retenciones=True),
    ):
        statements: list[str] = []
        with database.read() as connection:
            for branch in _branches(connection, wanted):
                query = LISTING.query(branch, None, 10).compile(connection, compile_kwargs={"literal_binds": True})
                statements += [row[-1] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}")]
        assert statements
        assert all("USING INDEX ix_stamp_account_id" in step for step in statements), statements
        assert all("retenciones" in step for step in statements) is (wanted.retenciones is True), statements
    database.close()
