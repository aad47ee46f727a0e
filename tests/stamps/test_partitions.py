"""Stamps on PostgreSQL have a table for each month of Fecha."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import text
from tests.support.store_records import MovableClock, claim

from timbra.database.database import Database, open_database
from timbra.database.engines import make_engine, parse_url
from timbra.database.tables.stamps import STAMP
from timbra.fsck.row_digests import DigestJob
from timbra.stamps.partitions import StampMonths
from timbra.stamps.port import AlreadyStamped, Claim, Stored
from timbra.stamps.repository import DatabaseStamps

OTHER = "stamp_other"
NOW = datetime(2031, 11, 17, 18, tzinfo=UTC)
"""After the months whose tables a new database has."""


@pytest.fixture
def database(postgresql_address: str) -> Iterator[Database]:
    opened = open_database(postgresql_address)
    yield opened
    opened.close()


@pytest.fixture
def stamps(database: Database) -> Iterator[DatabaseStamps]:
    repository = DatabaseStamps(database, MovableClock(NOW))
    yield repository
    repository.close()


@pytest.fixture
def months(database: Database) -> StampMonths:
    return StampMonths(database, MovableClock(NOW))


def claim_of(number: int, fecha: str) -> Claim:
    one = claim(number)
    return replace(one, record=replace(one.record, fecha=fecha))


def tables(database: Database) -> dict[str, int]:
    """Return the number of stamps in each partition."""
    with database.read() as connection:
        rows = connection.execute(text("SELECT tableoid::regclass::text, count(*) FROM stamp GROUP BY 1"))
        return {row[0]: row[1] for row in rows}


def test_create_makes_the_tables_of_three_months(database: Database, months: StampMonths) -> None:
    assert months.create() == ["stamp_2031_11", "stamp_2031_12", "stamp_2032_01"]
    assert months.create() == []
    assert months.table_of(date(2031, 12, 1)) == "stamp_2031_12"
    assert months.table_of(date(2031, 10, 1)) is None


def test_claim_stores_each_month_in_its_table(database: Database, stamps: DatabaseStamps, months: StampMonths) -> None:
    months.create()
    dates = ("2031-11-30T23:59:59", "2031-12-01T00:00:00", "2031-10-31T23:59:59", "2032-02-01T00:00:00-06:00")
    stamps.claim([claim_of(number, fecha) for number, fecha in enumerate(dates)])
    assert tables(database) == {"stamp_2031_11": 1, "stamp_2031_12": 1, OTHER: 2}


def test_create_leaves_a_month_where_its_stamps_are(
    database: Database, stamps: DatabaseStamps, months: StampMonths
) -> None:
    claims = [claim_of(number, f"2031-{number + 7:02}-15T12:00:00") for number in range(6)]
    stamps.claim(claims)
    assert tables(database) == {OTHER: 6}
    assert months.create() == ["stamp_2032_01"]
    assert tables(database) == {OTHER: 6}
    again = [replace(one, record=replace(one.record, uuid=f"again-{place}")) for place, one in enumerate(claims)]
    assert stamps.claim(again) == [AlreadyStamped(one.record) for one in claims]
    folios = [one.record.uuid for one in claims]
    assert sorted(stamps.by_uuids(folios), key=str) == sorted((one.record for one in claims), key=str)
    assert stamps.types_of(folios) == dict.fromkeys(folios, "I")


def test_claim_survives_the_creation_of_its_month(
    database: Database, stamps: DatabaseStamps, months: StampMonths, postgresql_address: str
) -> None:
    """The stamp waits for the table that gets its month, and goes there."""
    outcomes: list[object] = []
    thread = threading.Thread(target=lambda: outcomes.extend(stamps.claim([claim_of(2, "2031-11-16T12:00:00")])))
    engine = make_engine(parse_url(postgresql_address))
    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'stamp_other'::regclass")
    with engine.begin() as connection:
        connection.execute(text("LOCK TABLE stamp_other IN ACCESS EXCLUSIVE MODE"))
        thread.start()
        with engine.connect() as other:
            while not other.execute(waiting).scalar():
                assert thread.is_alive()
        for statement in (
            "CREATE TABLE stamp_2031_11 (LIKE stamp INCLUDING DEFAULTS INCLUDING STORAGE, PRIMARY KEY (seal_hash))",
            "ALTER TABLE stamp ATTACH PARTITION stamp_2031_11 FOR VALUES FROM ('2031-11') TO ('2031-12')",
        ):
            connection.execute(text(statement))
    engine.dispose()
    thread.join(30)
    assert [type(outcome) for outcome in outcomes] == [Stored]
    assert tables(database) == {"stamp_2031_11": 1}


def test_remove_empties_the_table_of_a_month_but_for_the_stamps_that_stay(
    database: Database, stamps: DatabaseStamps, months: StampMonths
) -> None:
    months.create()
    claims = [claim_of(number, "2031-11-15T12:00:00") for number in range(5)]
    stamps.claim(claims)
    DigestJob(database, MovableClock(NOW), lag=timedelta()).run()
    digests = text("SELECT length(digests) FROM row_digest WHERE place = 'stamp' AND key = ''")
    with database.read() as connection:
        assert min(connection.execute(digests).scalars()) > 0
    with database.read() as connection:
        cursors = list(connection.execute(text("SELECT cursor FROM stamp ORDER BY cursor")).scalars())
        nodes = connection.execute(text("SELECT relfilenode FROM pg_class WHERE relname = 'stamp_2031_11'")).scalar()
    assert months.remove("stamp_2031_11", cursors[:3], STAMP.c.cursor == cursors[1]) == 2
    with database.read() as connection:
        assert list(connection.execute(text("SELECT cursor FROM stamp ORDER BY cursor")).scalars()) == [
            cursors[1],
            *cursors[3:],
        ]
        assert max(connection.execute(digests).scalars()) == 0
        new = connection.execute(text("SELECT relfilenode FROM pg_class WHERE relname = 'stamp_2031_11'")).scalar()
    # The file of the table was replaced: its space is free without a vacuum.
    assert new != nodes
    assert stamps.by_uuid(claims[1].record.uuid) == claims[1].record


def test_drop_empty_drops_old_months_without_stamps(
    database: Database, stamps: DatabaseStamps, months: StampMonths
) -> None:
    months.create()
    stamps.claim([claim_of(1, "2031-12-15T12:00:00")])
    assert months.drop_empty(date(2032, 1, 1))[-1] == "stamp_2031_11"
    assert months.drop_empty(date(2032, 2, 1)) == ["stamp_2032_01"]
    stamps.claim([claim_of(2, "2031-11-15T12:00:00")])
    assert tables(database) == {"stamp_2031_12": 1, OTHER: 1}


def test_months_of_sqlite_are_one_table(sqlite_address: str) -> None:
    database = open_database(sqlite_address)
    months = StampMonths(database, MovableClock(NOW))
    assert (months.create(), months.table_of(date(2031, 11, 1)), months.drop_empty(date(2032, 1, 1))) == ([], None, [])
    database.close()
