"""Checks of what is derived from stamps, of keys, of the audit log and of files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import delete, insert, select, update
from tests.fsck.support import changed, findings, flipped, populated, run_consumers, stored
from tests.support.cancellation_app import CancellationApp
from tests.support.effort import cases

from timbra.database.build import opened_database
from timbra.database.tables.accounts import CSD, SECRET
from timbra.database.tables.audit import AUDIT_KEY
from timbra.database.tables.balances import BALANCE
from timbra.database.tables.rejections import USAGE_DAY
from timbra.database.tables.search import CANCELLATION_SUM, DOCUMENT_SUM, LISTED_DOCUMENT, STAMP_WORD
from timbra.database.tables.stamps import CUSTOM_ID, EVENT, EVENT_CONSUMER, OUTBOX
from timbra.delivery.build import authority_outbox
from timbra.documents.build import document_index
from timbra.events.event_log import Event, append_events
from timbra.fsck.checking import check_all, repair
from timbra.sandbox.store.tables import SANDBOX_DOCUMENT, SANDBOX_KEY, SANDBOX_RELATION

SUMS = ("documents", "damaged", "billions", "units", "millionths")


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def app(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    with populated(tmp_path_factory.mktemp("data") / "sandbox", request.param) as made:
        yield made


def test_every_derived_column_beside_the_stamps_is_compared_and_repaired(app: CancellationApp) -> None:
    of_ledger = (
        "version",
        "kind",
        "issuer_rfc",
        "receiver_rfc",
        "total",
        "total_mxn",
        "seal_tail",
        "issued_at",
        "year",
    )
    places = [
        *((LISTED_DOCUMENT, column.name) for column in LISTED_DOCUMENT.c if column.name != "cursor"),
        *((table, name) for table in (DOCUMENT_SUM, CANCELLATION_SUM) for name in SUMS),
        *((SANDBOX_DOCUMENT, name) for name in (*of_ledger, "fuel")),
        (USAGE_DAY, "stamps"),
        *((CSD, name) for name in ("kind", "rfc", "name", "valid_from", "valid_to")),
    ]
    one_of_each_table = list(dict(places).items())
    for table, name in places if sqlite(app) else cases(one_of_each_table, places):
        _, before = stored(app.container, table, table.c[name])
        with changed(app.container, table, table.c[name], flipped(before)):
            report = check_all(app.container)
            found = [(each.place, each.column) for each in report.findings]
            assert found == [(table.name, name)], (table.name, name)
            assert len(repair(app.container, report)) == 1
            assert stored(app.container, table, table.c[name])[1] == before, (table.name, name)
    assert findings(app.container) == []


def sqlite(app: CancellationApp) -> bool:
    return not app.container.settings.database_url


def test_rows_of_the_index_that_are_missing_or_too_many_are_named_and_repaired(app: CancellationApp) -> None:
    database = app.container.get(opened_database)
    with database.write() as connection:
        word = connection.execute(select(STAMP_WORD).limit(1)).one()
        connection.execute(delete(STAMP_WORD).where(STAMP_WORD.c.cursor == word.cursor, STAMP_WORD.c.word == word.word))
        connection.execute(insert(STAMP_WORD).values(account_id=word.account_id, word="ZZZ", cursor=word.cursor))
        connection.execute(delete(LISTED_DOCUMENT).where(LISTED_DOCUMENT.c.cursor == word.cursor))
        relation = connection.execute(select(SANDBOX_RELATION).limit(1)).one()
        connection.execute(delete(SANDBOX_RELATION).where(SANDBOX_RELATION.c.uuid == relation.uuid))
    report = check_all(app.container)
    assert sorted((each.code, each.place) for each in report.findings) == [
        ("row-missing", "listed_document"),
        ("row-missing", "sandbox_relation"),
        ("row-missing", "stamp_word"),
        ("row-underived", "stamp_word"),
    ]
    assert len(repair(app.container, report)) == 4
    assert findings(app.container) == []


def test_states_are_compared_with_the_events_that_were_read(app: CancellationApp) -> None:
    database, wall = app.container.get(opened_database), app.container.wall
    uuid = app.invoice(price="400.00").lower()
    app.container.get(document_index).index()
    with database.write() as connection:
        append_events(connection, [Event(wall.now(), wall.now(), 1, "cancellation.received", uuid, "", {})])
    assert [each for each in findings(app.container) if each.place in ("listed_document", "cancellation_sum")] == []
    run_consumers(app.container)
    with database.read() as connection:
        row = connection.execute(select(LISTED_DOCUMENT).where(LISTED_DOCUMENT.c.uuid == uuid)).one()
        sums = connection.execute(select(CANCELLATION_SUM.c.state, CANCELLATION_SUM.c.units)).all()
    assert row.state == "proceso"
    assert sorted(map(tuple, sums)) == [("cancelado", 232), ("proceso", 464)]
    assert findings(app.container) == []


def test_document_whose_event_is_a_dead_letter_waits(app: CancellationApp) -> None:
    run_consumers(app.container)
    uuid, now = app.invoice(price="500.00").lower(), app.container.wall.now()
    with app.container.get(opened_database).write() as connection:
        number = connection.execute(select(EVENT.c.id).where(EVENT.c.subject == uuid)).scalar_one()
        of_deliveries = EVENT_CONSUMER.c.name == "deliveries"
        connection.execute(update(EVENT_CONSUMER).where(of_deliveries).values(position=number))
        values = {"subject": str(number), "created_at": now, "due_at": now, "attempts": 0, "dead": True}
        connection.execute(insert(OUTBOX).values(kind="event.deliveries", **values))
    assert [each for each in findings(app.container) if each.place.startswith("sandbox_")] == []
    assert app.container.get(authority_outbox).requeue() == 1
    run_consumers(app.container)
    assert findings(app.container) == []


def test_customids_and_limits_are_compared_with_events(app: CancellationApp) -> None:
    for table, name, number in (
        *((CUSTOM_ID, name, 0) for name in ("account_id", "id_hash", "seal_hash", "stamped_at")),
        (BALANCE, "unlimited", 0),
        (BALANCE, "unlimited", 1),
    ):
        _, before = stored(app.container, table, table.c[name], number)
        with changed(app.container, table, table.c[name], flipped(before), number):
            found = findings(app.container)
            assert table.name in {each.place for each in found}, (table.name, name)
            assert all(each.repair is None for each in found)
    assert findings(app.container) == []


def test_keys_that_do_not_open_and_wrong_certificates_are_named(app: CancellationApp) -> None:
    for table, name, code in (
        (SECRET, "sealed", "key-unusable"),
        (CSD, "sealed_key", "key-unusable"),
        (CSD, "number", "certificate-differs"),
        (SANDBOX_KEY, "sealed_key", "key-unusable"),
        (SANDBOX_KEY, "number", "certificate-differs"),
        (AUDIT_KEY, "sealed_key", "key-unusable"),
    ):
        _, before = stored(app.container, table, table.c[name])
        with changed(app.container, table, table.c[name], flipped(before)):
            found = check_all(app.container).findings
            assert code in {each.code for each in found}, (table.name, name)
            assert all(each.repair is None for each in found), (table.name, name)


def test_files_of_the_folder_are_compared_and_repaired(app: CancellationApp) -> None:
    folder: Path = app.container.settings.data
    for name in ("environment", "audit-head.json"):
        before = (folder / name).read_bytes()
        for damaged in (before[:-1], b"x" + before[1:]):
            (folder / name).write_bytes(damaged)
            report = check_all(app.container)
            assert ("file-differs", name) in {(each.code, each.place) for each in report.findings}, damaged
            assert len(repair(app.container, report)) == 1
            assert (folder / name).read_bytes() == before
    [certificate, _] = sorted((folder / "certificates").glob("*.cer"))
    before = certificate.read_bytes()
    certificate.write_bytes(bytes([before[0] ^ 1]) + before[1:])
    assert [each.place for each in findings(app.container)] == [f"certificates/{certificate.name}"]
    certificate.write_bytes(before)
