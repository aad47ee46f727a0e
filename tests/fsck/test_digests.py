"""Digests of settled rows: bytes that change without a statement of a program are named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product

import pytest
from sqlalchemy import ColumnElement, Table, Text, delete, func, insert, literal_column, select, text, update
from tests.fsck.support import changed, findings, flipped, populated, settle, stored
from tests.support.cancellation_app import CancellationApp
from tests.support.store_records import MovableClock

from timbra.database.build import opened_database
from timbra.database.database import Database
from timbra.database.tables import METADATA
from timbra.database.tables.accounts import ACCOUNT, ACCOUNT_PROFILE
from timbra.database.tables.digests import ROW_DIGEST
from timbra.database.tables.stamps import EVENT, STAMP
from timbra.fsck.coverage import NOT_COVERED
from timbra.fsck.row_digests import BY_KEY, BY_NUMBER, DigestJob


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def app(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    with populated(tmp_path_factory.mktemp("data") / "sandbox", request.param) as made:
        yield made


@contextmanager
def without_triggers(database: Database, table: Table) -> Iterator[None]:
    """Change a table as a disk does: no trigger runs."""
    if database.dialect == "postgresql":
        _execute(database, f"ALTER TABLE {table.name} DISABLE TRIGGER USER")
        yield
        _execute(database, f"ALTER TABLE {table.name} ENABLE TRIGGER USER")
        return
    with database.read() as connection:
        query = text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = :table")
        triggers = list(connection.execute(query, {"table": table.name}))
    for name, _ in triggers:
        _execute(database, f"DROP TRIGGER {name}")
    yield
    for _, statement in triggers:
        _execute(database, statement)


def _execute(database: Database, statement: str) -> None:
    with database.write() as connection:
        connection.exec_driver_sql(statement)


def named(app: CancellationApp) -> list[tuple[str, str, str]]:
    return [(each.code, str(each.place), each.key) for each in findings(app.container)]


def test_every_table_has_digests_or_a_reason_to_have_none() -> None:
    listed = [*BY_NUMBER, *BY_KEY, *NOT_COVERED]
    assert len(listed) == len(set(listed))
    assert set(listed) == set(METADATA.tables)


def test_every_settled_row_has_a_digest_that_matches(app: CancellationApp) -> None:
    database = app.container.get(opened_database)
    with database.read() as connection:
        pending = connection.execute(select(func.count()).where(func.length(ROW_DIGEST.c.digests) == 0)).scalar_one()
        by_number = connection.execute(select(ROW_DIGEST.c.digests).where(ROW_DIGEST.c.place == "stamp")).scalars()
        stamps = connection.execute(select(func.count()).select_from(STAMP)).scalar_one()
        assert (pending, sum(len(digests) for digests in by_number)) == (0, 5 * stamps)
    assert findings(app.container) == []


def test_column_that_nothing_else_says_is_named_by_its_digest(app: CancellationApp) -> None:
    database = app.container.get(opened_database)
    for table, name in (
        (STAMP, "rule_set"),
        (STAMP, "data_version"),
        (STAMP, "lists_version"),
        (EVENT, "at"),
        (EVENT, "kind"),
        (ACCOUNT, "password"),
        (ACCOUNT, "created_at"),
        (ACCOUNT_PROFILE, "guid"),
    ):
        key, before = stored(app.container, table, table.c[name])
        with without_triggers(database, table), changed(app.container, table, table.c[name], flipped(before)):
            number = key[0]
            if table is STAMP:
                with database.read() as connection:
                    number = connection.execute(select(STAMP.c.cursor).where(STAMP.c.seal_hash == key[0])).scalar_one()
            assert ("row-changed", table.name, str(number)) in named(app), (table.name, name)
    assert findings(app.container) == []


def test_text_that_is_no_text_is_named_in_every_table(app: CancellationApp) -> None:
    database = app.container.get(opened_database)
    if database.dialect != "sqlite":
        pytest.skip("PostgreSQL stores UTF-8 only")
    damaged = set()
    for table in map(METADATA.tables.__getitem__, sorted({*BY_NUMBER, *BY_KEY})):
        column = next((each for each in table.c if isinstance(each.type, Text) and not each.primary_key), None)
        with database.read() as connection:
            if column is None or connection.execute(select(func.count()).select_from(table)).scalar_one() == 0:
                continue
        damaged.add(table.name)
        value: ColumnElement[str] = literal_column("CAST(x'41ff' AS TEXT)")
        with without_triggers(database, table), changed(app.container, table, column, value):
            assert ("row-unreadable", table.name) in {(code, place) for code, place, _ in named(app)}, table.name
    assert {"stamp", "event", "account", "sandbox_taxpayer", "csd"} <= damaged
    assert findings(app.container) == []


def test_row_that_disappears_is_named_by_its_digest(app: CancellationApp) -> None:
    database = app.container.get(opened_database)
    with database.read() as connection:
        account = connection.execute(select(ACCOUNT_PROFILE).order_by(ACCOUNT_PROFILE.c.account_id)).first()
        event = connection.execute(select(EVENT).where(EVENT.c.kind != "stamped").order_by(EVENT.c.id)).first()
    assert account is not None
    assert event is not None
    for table, column, row in (
        (ACCOUNT_PROFILE, ACCOUNT_PROFILE.c.account_id, account),
        (EVENT, EVENT.c.id, event),
    ):
        with without_triggers(database, table):
            with database.write() as connection:
                connection.execute(delete(table).where(column == row[0]))
            assert ("row-lost", table.name, str(row[0])) in named(app)
            with database.write() as connection:
                connection.execute(insert(table).values(row._asdict()))
    assert findings(app.container) == []


def test_row_that_a_statement_changes_or_deletes_is_settled_again(app: CancellationApp) -> None:
    database = app.container.get(opened_database)
    with database.write() as connection:
        connection.execute(update(ACCOUNT_PROFILE).values(phone="5555555555"))
    assert findings(app.container) == []
    settle(app.container)
    assert findings(app.container) == []
    app.account("eva@example.com")
    settle(app.container)
    with database.write() as connection:
        connection.execute(update(EVENT).where(EVENT.c.kind == "stamped").values(format=2))
        newest = connection.execute(select(func.max(EVENT.c.id))).scalar_one()
        connection.execute(update(EVENT).where(EVENT.c.id == newest).values(request_id="other"))
    settle(app.container)
    assert [each for each in findings(app.container) if each.code.startswith(("row", "digest"))] == []


def test_flipped_digest_is_named(app: CancellationApp) -> None:
    with app.container.get(opened_database).read() as connection:
        rows = connection.execute(select(ROW_DIGEST.c.key).order_by(*ROW_DIGEST.primary_key)).scalars().all()
    # The first row of a table says that all of its rows have digests, the second one is the digest of a row.
    places = rows.index(""), next(place for place, key in enumerate(rows) if key)
    for place, name in product(places, ("digests", "key", "place", "number")):
        column = ROW_DIGEST.c[name]
        _, before = stored(app.container, ROW_DIGEST, column, place)
        with changed(app.container, ROW_DIGEST, column, flipped(before, 5), place):
            assert findings(app.container), (rows[place], name)
    assert findings(app.container) == []


def test_numbers_are_settled_after_the_longest_transaction_on_postgresql(app: CancellationApp) -> None:
    database = app.container.get(opened_database)
    if database.dialect != "postgresql":
        pytest.skip("SQLite commits in the order of the numbers")
    wall = MovableClock()
    job = DigestJob(database, wall)
    app.invoice()
    job.run()
    before = _settled(database)
    wall.advance(minutes=2)
    job.run()
    assert _settled(database) == before
    wall.advance(minutes=2)
    job.run()
    assert _settled(database) == before + 1


def _settled(database: Database) -> int:
    with database.read() as connection:
        digests = connection.execute(select(ROW_DIGEST.c.digests).where(ROW_DIGEST.c.place == "stamp")).scalars()
        return sum(len(each) for each in digests) // 5
