"""The check of the transparency log: every changed column, lost row and other checkpoint is named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import ColumnElement, Table, delete, insert, select, text, update
from tests.fsck.support import changed, findings, flipped, populated, stored
from tests.support.cancellation_app import CancellationApp
from tests.support.store_records import NOON

from timbra.database.build import opened_database
from timbra.database.codec import decode, encode
from timbra.database.tables.audit import APPEND_ONLY, AUDIT_CHECKPOINT, AUDIT_LEAF, AUDIT_LINK, AUDIT_NODE
from timbra.database.tables.stamps import EVENT, EVENT_CONSUMER, STAMP
from timbra.events.build import dispatch_events
from timbra.fsck.checking import check_all
from timbra.fsck.findings import Cure
from timbra.transparency.build import transparency_log
from timbra.transparency.leaves import Leaf, append_leaves

FILE = "log-checkpoint"
OF_LOG = ("log-differs", "leaf-missing", "leaf-differs", "leaf-underived")


DATABASES = ("sqlite", "postgresql")


@pytest.fixture(scope="module", params=DATABASES)
def app(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    with logged(tmp_path_factory.mktemp("data") / "sandbox", request.param) as made:
        yield made


@contextmanager
def logged(folder: Path, database: str) -> Iterator[CancellationApp]:
    """A sandbox whose rows are in the log, without the triggers that protect it."""
    with populated(folder, database) as made:
        unprotect(made)
        dispatch_events(made.container)
        made.container.get(transparency_log).run()
        yield made


def unprotect(app: CancellationApp) -> None:
    """Remove the triggers, as a thief of the database does."""
    database = app.container.get(opened_database)
    with database.write() as connection:
        if database.dialect == "postgresql":
            for table in APPEND_ONLY:
                connection.execute(text(f"ALTER TABLE {table.name} DISABLE TRIGGER USER"))
                connection.execute(text(f"GRANT UPDATE, DELETE ON {table.name} TO CURRENT_USER"))
        else:
            names = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%_no_%'"
            for name in list(connection.execute(text(names)).scalars()):
                connection.execute(text(f"DROP TRIGGER {name}"))


@contextmanager
def removed(app: CancellationApp, *places: tuple[Table, ColumnElement[bool]]) -> Iterator[None]:
    """Rows are deleted during a block."""
    database = app.container.get(opened_database)
    with database.write() as connection:
        rows = [(table, connection.execute(select(table).where(which)).mappings().all()) for table, which in places]
        for table, which in places:
            assert connection.execute(delete(table).where(which)).rowcount
    try:
        yield
    finally:
        with database.write() as connection:
            for table, found in rows:
                connection.execute(insert(table), [dict(row) for row in found])


def of_log(app: CancellationApp) -> set[tuple[str, str, str]]:
    return {(each.code, each.place, each.column) for each in findings(app.container) if each.code in OF_LOG}


def an_event(app: CancellationApp, kind: str) -> tuple[int, str]:
    with app.container.get(opened_database).read() as connection:
        query = select(EVENT.c.id, EVENT.c.subject).where(EVENT.c.kind == kind).order_by(EVENT.c.id).limit(1)
        row = connection.execute(query).one()
    return row.id, row.subject


def test_sound_log_has_no_finding(app: CancellationApp) -> None:
    report = check_all(app.container)
    assert [each for each in report.findings if each.code in OF_LOG] == []
    assert report.rows["audit_leaf"] > 10


def test_every_column_of_the_log_is_compared(app: CancellationApp) -> None:
    for table in (AUDIT_LEAF, AUDIT_CHECKPOINT):
        for column in table.c:
            # The positions behind the end.
            for bit in (9, 10) if column.name == "position" else (0, 3):
                _, before = stored(app.container, table, column)
                with changed(app.container, table, column, flipped(before, bit)):
                    assert of_log(app), (column.name, bit)
    assert of_log(app) == set()


def test_dropped_stamp_is_named(app: CancellationApp) -> None:
    _, uuid = an_event(app, "stamped")
    of_stamp = ((STAMP, STAMP.c.uuid == uuid), (EVENT, (EVENT.c.subject == uuid) & (EVENT.c.kind == "stamped")))
    with removed(app, *of_stamp):
        assert [
            (each.code, each.key, each.column, each.cure) for each in findings(app.container) if each.code in OF_LOG
        ] == [("leaf-underived", uuid, "kind", Cure.RESTORE)]
    with removed(app, *of_stamp, (AUDIT_LEAF, AUDIT_LEAF.c.subject == uuid)):
        assert ("log-differs", "audit_leaf", "") in of_log(app)
    # Who writes the table of leaves anew cannot sign the other tree.
    with app.container.get(opened_database).read() as connection:
        newest = connection.execute(select(AUDIT_LEAF).order_by(AUDIT_LEAF.c.position.desc()).limit(1)).one()
    with removed(app, (AUDIT_LEAF, AUDIT_LEAF.c.position == newest.position)):
        assert {("log-differs", "audit_checkpoint", "note")} <= of_log(app)


def test_backdated_stamp_is_named(app: CancellationApp) -> None:
    _, before = stored(app.container, STAMP, STAMP.c.cfdi)
    document = decode(before)
    start = document.index(b'FechaTimbrado="') + len(b'FechaTimbrado="')
    earlier = document[:start] + b"2026-10-31" + document[start + 10 :]
    with changed(app.container, STAMP, STAMP.c.cfdi, encode(earlier)):
        assert ("leaf-differs", "stamp", "cfdi") in of_log(app)


def test_changed_and_added_events_are_named(app: CancellationApp) -> None:
    number, _ = an_event(app, "cancellation.cancelled")
    with app.container.get(opened_database).read() as connection:
        place = connection.execute(select(EVENT.c.id).order_by(EVENT.c.id)).scalars().all().index(number)
        added = connection.execute(select(EVENT).where(EVENT.c.id == number)).one()._asdict()
    database = app.container.get(opened_database)
    for body, expected in (({"motivo": "03"}, {("leaf-differs", "event", "body")}), (added["body"], set())):
        with database.write() as connection:
            connection.execute(update(EVENT).where(EVENT.c.id == number).values(body=body))
        assert of_log(app) == expected
    _, at = stored(app.container, EVENT, EVENT.c.at, place)
    with changed(app.container, EVENT, EVENT.c.at, at - 60_000_000, place):
        assert of_log(app) == {("leaf-missing", "event", ""), ("leaf-underived", "audit_leaf", "kind")}
    with removed(app, (EVENT, EVENT.c.id == number)):
        assert of_log(app) == {("leaf-underived", "audit_leaf", "kind")}
    # An event that the consumer has passed without a leaf.
    with database.write() as connection:
        connection.execute(insert(EVENT).values({**added, "id": 9_999, "at": NOON}))
    assert of_log(app) == set()
    cursor = EVENT_CONSUMER.c.name == "transparency"
    with database.write() as connection:
        before = connection.execute(select(EVENT_CONSUMER.c.position).where(cursor)).scalar_one()
        connection.execute(update(EVENT_CONSUMER).where(cursor).values(position=9_999))
    assert of_log(app) == {("leaf-missing", "event", "")}
    with database.write() as connection:
        connection.execute(update(EVENT_CONSUMER).where(cursor).values(position=before))
        connection.execute(delete(EVENT).where(EVENT.c.id == 9_999))


def test_changed_link_is_named(app: CancellationApp) -> None:
    _, before = stored(app.container, AUDIT_LINK, AUDIT_LINK.c.hash)
    with changed(app.container, AUDIT_LINK, AUDIT_LINK.c.hash, flipped(before)):
        assert of_log(app) == {("leaf-differs", "audit_link", "hash")}


def test_checkpoint_of_the_data_folder_is_compared(app: CancellationApp) -> None:
    file = app.container.settings.data / FILE
    content = file.read_text()
    for changed_text in (content.replace("\n\n", "1\n\n"), content[:-3] + "A\n", ""):
        file.write_text(changed_text)
        assert of_log(app) == {("log-differs", FILE, "note")}
    file.write_text(content)
    assert of_log(app) == set()


@pytest.mark.parametrize("name", DATABASES)
def test_roots_of_tiles_are_compared(tmp_path: Path, name: str) -> None:
    rows = [Leaf("stamped", f"{place:036}", 0, NOON, bytes(32)) for place in range(256)]
    with logged(tmp_path / "sandbox", name) as app:
        database = app.container.get(opened_database)
        with database.write() as connection:
            append_leaves(database, connection, rows)
        app.container.get(transparency_log).run()
        assert of_log(app) == {("leaf-underived", "audit_leaf", "kind")}
        for column in AUDIT_NODE.c:
            _, before = stored(app.container, AUDIT_NODE, column)
            with changed(app.container, AUDIT_NODE, column, flipped(before)):
                assert ("log-differs", "audit_node", "hash") in of_log(app), column.name
