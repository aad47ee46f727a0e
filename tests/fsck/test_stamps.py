"""The check of stamps, events, balances and cursors: sound data have no finding, each changed column has one."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import product

import pytest
from sqlalchemy import delete, func, insert, select, text, update
from tests.fsck.support import changed, findings, flipped, populated, run_consumers, stored
from tests.support.cancellation_app import CancellationApp
from tests.support.effort import cases

from timbra.database.build import opened_database
from timbra.database.codec import decode, encode
from timbra.database.tables.balances import BALANCE, BALANCE_ENTRY
from timbra.database.tables.stamps import EVENT, EVENT_CONSUMER, STAMP
from timbra.fsck.check import FsckRun
from timbra.fsck.checking import check_all, repair
from timbra.fsck.findings import Cure
from timbra.fsck.structure import _normalized, check_structure
from timbra.seals.ports import trust_store

NOT_DERIVED = {"cursor", "rule_set", "data_version", "lists_version"}
"""Columns of `stamp` that neither the document nor the event has; docs/fsck.md names them."""


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def app(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    with populated(tmp_path_factory.mktemp("data") / "sandbox", request.param) as made:
        yield made


def test_sound_data_have_no_finding(app: CancellationApp) -> None:
    report = check_all(app.container)
    assert (report.findings, report.is_complete) == ([], True)
    assert report.rows["stamp"] >= 6
    assert report.rows["event"] > 6


def test_every_derived_column_of_a_stamp_is_compared_and_repaired(app: CancellationApp) -> None:
    for number, column in enumerate(STAMP.c):
        if column.name in NOT_DERIVED | {"cfdi"}:
            continue
        _, before = stored(app.container, STAMP, column, number % 6)
        with changed(app.container, STAMP, column, flipped(before), number % 6):
            report = check_all(app.container)
            found = [(each.place, each.column) for each in report.findings]
            assert ("stamp", column.name) in found, (column.name, found)
            repairable = {each.column for each in report.findings if each.repair is not None}
            if column.name in ("account_id", "request_id", "seal_hash"):
                assert repairable <= {"seal_hash"}, column.name
            else:
                assert [each.column for each in repair(app.container, report)] == [column.name]
                assert stored(app.container, STAMP, column, number % 6)[1] == before, column.name
    assert findings(app.container) == []


def test_damaged_document_is_named_and_never_repaired(app: CancellationApp) -> None:
    _, before = stored(app.container, STAMP, STAMP.c.cfdi)
    damaged = (b"", b"\x07abc", flipped(before), encode(b"no XML"), before[:-1], before[:9] + b"\x00" + before[10:])
    for value in damaged:
        with changed(app.container, STAMP, STAMP.c.cfdi, value):
            [found] = findings(app.container)
            assert (found.code, found.column, found.cure) == ("document-damaged", "cfdi", Cure.RESTORE)
            assert found.repair is None


def test_document_of_another_stamp_differs_in_every_column_of_its_own(app: CancellationApp) -> None:
    _, other = stored(app.container, STAMP, STAMP.c.cfdi, 1)
    with changed(app.container, STAMP, STAMP.c.cfdi, other):
        assert {"seal_hash", "uuid"} <= {each.column for each in findings(app.container)}


def test_lost_and_doubled_events_are_named(app: CancellationApp) -> None:
    database = app.container.get(opened_database)
    with database.read() as connection:
        event = connection.execute(select(EVENT).where(EVENT.c.kind == "stamped").limit(1)).one()
    with database.write() as connection:
        connection.execute(insert(EVENT).values({**event._asdict(), "id": 9_999}))
    assert [(each.code, each.key) for each in findings(app.container)] == [("event-twice", event.subject)]
    with database.write() as connection:
        connection.execute(delete(EVENT).where(EVENT.c.id.in_((9_999, event.id))))
    assert [(each.code, each.key) for each in findings(app.container)] == [("event-missing", event.subject)]
    with database.write() as connection:
        connection.execute(insert(EVENT).values(event._asdict()))
    assert findings(app.container) == []


def test_lost_stamp_is_named_by_its_event(app: CancellationApp) -> None:
    database = app.container.get(opened_database)
    with database.read() as connection:
        stamp = connection.execute(select(STAMP).order_by(STAMP.c.cursor).limit(1)).one()
    with database.write() as connection:
        connection.execute(delete(STAMP).where(STAMP.c.cursor == stamp.cursor))
    found = [(each.code, each.stored) for each in findings(app.container)]
    with database.write() as connection:
        connection.execute(insert(STAMP).values(stamp._asdict()))
    assert ("stamp-missing", stamp.uuid) in found
    assert findings(app.container) == []


def test_cursor_and_folio_of_two_stamps_are_named(app: CancellationApp) -> None:
    [_, first], [_, second] = (stored(app.container, STAMP, STAMP.c.cursor, number) for number in (0, 1))
    with changed(app.container, STAMP, STAMP.c.cursor, second):
        assert "cursor-twice" in {each.code for each in findings(app.container)}
    assert first != second


def test_every_column_of_a_balance_is_compared(app: CancellationApp) -> None:
    with app.container.get(opened_database).read() as connection:
        number = connection.execute(select(func.count()).select_from(BALANCE)).scalar_one() - 1
    for name in ("remaining", "assigned", "used"):
        column = BALANCE.c[name]
        for bit in cases((20,), (0, 1, 6, 20, 39)):
            _, before = stored(app.container, BALANCE, column, number)
            with changed(app.container, BALANCE, column, flipped(before, bit), number):
                report = check_all(app.container)
                assert [(each.place, each.column) for each in report.findings] == [("balance", name)], (name, bit)
                assert [each.column for each in repair(app.container, report)] == [name]
                assert stored(app.container, BALANCE, column, number)[1] == before, (name, bit)
    assert findings(app.container) == []


def test_every_number_of_an_entry_is_compared_and_never_repaired(app: CancellationApp) -> None:
    for name in ("stamps_in", "stamps_out", "current"):
        column = BALANCE_ENTRY.c[name]
        for number in (0, 1):
            for bit in cases((3,), (0, 3, 20)):
                _, before = stored(app.container, BALANCE_ENTRY, column, number)
                with changed(app.container, BALANCE_ENTRY, column, flipped(before, bit), number):
                    found = findings(app.container)
                    assert found, (name, number, bit)
                    assert all(each.repair is None for each in found), (name, number, bit)


def test_cursor_of_a_consumer_beyond_the_log_is_named(app: CancellationApp) -> None:
    for name, value in (("position", 2**40), ("gaps", "[[1, 2"), ("turn", -1), ("name", "deliverier")):
        with changed(app.container, EVENT_CONSUMER, EVENT_CONSUMER.c[name], value):
            found = findings(app.container)
            assert [(each.place, each.column) for each in found] == [("event_consumer", name)], name


def test_stamps_that_are_stored_during_the_check_are_no_difference(app: CancellationApp) -> None:
    def stamp_another(table: str, read: int, rows: int) -> None:
        if table == "stamp" and not stamped:
            stamped.append(app.invoice())

    stamped: list[str] = []
    assert check_all(app.container, stamp_another).findings == []
    assert len(stamped) == 1
    run_consumers(app.container)


def test_value_that_changed_since_the_check_is_not_repaired(app: CancellationApp) -> None:
    _, before = stored(app.container, STAMP, STAMP.c.folio)
    with changed(app.container, STAMP, STAMP.c.folio, "other"):
        report = check_all(app.container)
        with app.container.get(opened_database).write() as connection:
            connection.execute(update(STAMP).where(STAMP.c.folio == "other").values(folio=before))
        assert repair(app.container, report) == []


def test_row_that_the_driver_cannot_read_is_named_and_the_others_are_compared(app: CancellationApp) -> None:
    database = app.container.get(opened_database)
    if database.dialect != "sqlite":
        pytest.skip("PostgreSQL stores UTF-8 only")
    [_, uuid], [_, before] = (stored(app.container, STAMP, STAMP.c[name], 1) for name in ("uuid", "folio"))
    with database.write() as connection:
        connection.exec_driver_sql("UPDATE stamp SET folio = CAST(x'41ff' AS TEXT) WHERE uuid = ?", (uuid,))
    with changed(app.container, STAMP, STAMP.c.total, "1.00", 3):
        report = check_all(app.container)
    with database.write() as connection:
        connection.execute(update(STAMP).where(STAMP.c.uuid == uuid).values(folio=before))
    assert {(each.code, each.column) for each in report.findings if each.place == "stamp"} == {
        ("row-unreadable", ""),
        ("column-differs", "total"),
    }


def test_seal_of_another_document_is_named(app: CancellationApp) -> None:
    _, before = stored(app.container, STAMP, STAMP.c.cfdi)
    altered = re.sub(rb'( (?:Descripcion|NomDenRazSocR)=")', rb"\1A", decode(before), count=1)
    assert altered != decode(before)
    with changed(app.container, STAMP, STAMP.c.cfdi, encode(altered)):
        found = {(each.code, each.cure) for each in findings(app.container) if each.code == "seal-differs"}
    assert found == {("seal-differs", Cure.RESTORE)}


@pytest.mark.parametrize("name", ["SelloSAT", "SelloCFD", "RfcProvCertif"])
def test_altered_stamp_of_the_provider_is_named(app: CancellationApp, name: str) -> None:
    _, before = stored(app.container, STAMP, STAMP.c.cfdi)
    place = decode(before).index(f' {name}="'.encode()) + len(name) + 3
    altered = bytearray(decode(before))
    altered[place] = ord("B") if altered[place] == ord("A") else ord("A")
    with changed(app.container, STAMP, STAMP.c.cfdi, encode(bytes(altered))):
        found = [(each.stored, each.cure) for each in findings(app.container) if each.code == "seal-differs"]
    assert found == [("SelloSAT", Cure.RESTORE)]


def test_certificate_of_a_provider_that_is_not_known_is_named_once(
    app: CancellationApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(app.container.get(trust_store)), "provider", lambda *_: None)
    [finding] = [each for each in findings(app.container) if each.code == "certificate-unknown"]
    assert (finding.place, finding.column) == ("stamp", "provider_certificate")


def test_flipped_bit_of_a_schema_is_named_unless_sqlite_rejects_it(app: CancellationApp) -> None:
    database = app.container.get(opened_database)
    if database.dialect != "sqlite":
        pytest.skip("PostgreSQL has no text of its schema")
    with database.read() as connection:
        query = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL"
        rows = [tuple(row) for row in connection.exec_driver_sql(query)]
    tables = [row for row in rows if row[0] == "table" and not row[1].startswith("sqlite_")]
    others = [row for row in rows if row[0] != "table"]
    with closing(sqlite3.connect(":memory:")) as empty, closing(sqlite3.connect(":memory:")) as with_tables:
        for row in tables:
            with_tables.execute(row[3])
        for kind, name, table, sql in [*cases(tables[:3], tables), *cases(others[::20], others)]:
            for place, bit in product(range(len(sql)), range(7)):
                other = f"{sql[:place]}{chr(ord(sql[place]) ^ (1 << bit))}{sql[place + 1 :]}"
                if _normalized((kind, name, table, other)) == _normalized((kind, name, table, sql)):
                    with pytest.raises(sqlite3.Error):
                        (empty if kind == "table" else with_tables).execute(other)


def test_rows_of_other_partitions_and_detached_ones_are_named(
    app: CancellationApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = app.container.get(opened_database)
    if database.dialect != "postgresql":
        pytest.skip("SQLite has no partitions")

    def found() -> list[tuple[str, str]]:
        return [(each.code, each.place) for each in check_structure(FsckRun(app.container))]

    with database.write() as connection:
        connection.exec_driver_sql("CREATE TABLE stamp_1999_01 (LIKE stamp)")
    assert found() == [("schema-differs", "stamp_1999_01")]
    # PostgreSQL stores no row in the partition of another key: the check expects other months.
    query = text("SELECT relid::regclass::text, 'fecha < ''2000''' FROM pg_partition_tree('stamp') WHERE isleaf")
    monkeypatch.setattr("timbra.fsck.structure.PARTITIONS", query)
    with database.read() as connection:
        stamps = connection.execute(select(func.count()).select_from(STAMP)).scalar_one()
    assert stamps > 0
    assert sum(code == "partition-wrong" for code, _ in found()) == stamps
