"""Any value of one row is damaged: every list, sum, export, report and consumer has the other rows as before."""

from __future__ import annotations

import csv
import io
import random
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy import JSON, BigInteger, Column, Integer, Table, delete, literal_column, select
from tests.fsck.support import changed, flipped, stored
from tests.support.cancellation_app import CancellationApp
from tests.support.databases import need_postgresql, postgresql_database
from tests.support.effort import LONG
from tests.support.store_records import MovableClock

from timbra.archive.build import archive_services
from timbra.archive.storage import storage_of
from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.periods import DayPeriod
from timbra.core.spreadsheets import WorkbookStream, csv_line
from timbra.database.build import opened_database
from timbra.database.tables.search import DOCUMENT_SUM, LISTED_DOCUMENT, STAMP_WORD, STAMP_WORD_PROGRESS
from timbra.database.tables.stamps import EVENT, STAMP
from timbra.delivery.ports import authority_work
from timbra.documents.build import document_index, document_services
from timbra.documents.view import HEAD, cells
from timbra.emulator.bulk.contract import DocumentRegister, PackageType, RequestOperation
from timbra.emulator.bulk.criteria import DownloadCriteria
from timbra.emulator.bulk.documents import DownloadDocuments
from timbra.events.cancellation_states import DocumentState
from timbra.events.event_log import events_between
from timbra.operations.build import operations_services
from timbra.reports.build import provider_reports
from timbra.sandbox.authority.build import sandbox_ledger
from timbra.stamping.serializers import stamp_page_answer
from timbra.stamps.build import database_stamps
from timbra.stamps.search import Order, StampFilter

FOLIO = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-")
STAMPS = 6
ROW = 2
"""The row that is damaged."""
Rows = Mapping[str, Any]
"""What a reader has of each document, by folio."""
Reader = Callable[[CancellationApp, Path], Rows]


def pages(app: CancellationApp, _folder: Path) -> Rows:
    listing = app.container.get(document_services).listing
    found: dict[str, Any] = {}
    for order in Order:
        for ascending in (False, True):
            cursor, uuids = None, []
            while True:
                page = listing.page(StampFilter(app.caller.account_id), cursor, 3, order, ascending=ascending)
                for row in page.rows:
                    uuids.append(row.stamp.uuid)
                    found[row.stamp.uuid] = [row.stamp, row.extract, row.cancellation]
                cursor = page.cursor
                if cursor is None:
                    break
            for uuid, number in Counter(uuids).items():
                found[f"{order} {ascending} {uuid}"] = number
    return found


def exports(app: CancellationApp, _folder: Path) -> Rows:
    listing = app.container.get(document_services).listing
    book = WorkbookStream("Documentos", HEAD)
    found: dict[str, Any] = {}
    for rows in listing.pages(StampFilter(app.caller.account_id), 100, with_documents=True):
        assert book.add(map(cells, rows)) is not None
        for row in rows:
            found[row.stamp.uuid] = [csv_line(cells(row)), row.cfdi]
    book.close()
    return found


def answers(app: CancellationApp, _folder: Path) -> Rows:
    stamps, cursor = app.container.get(database_stamps), None
    found: dict[str, Any] = {}
    while True:
        answer = stamp_page_answer(stamps.page(app.caller.account_id, cursor=cursor, limit=3))
        content = orjson.loads(orjson.dumps(answer))
        found |= {record["uuid"]: record for record in content["records"]}
        cursor = content["cursor"]
        if cursor is None:
            return found


def events(app: CancellationApp, _folder: Path) -> Rows:
    period = month(app).instants
    found: dict[str, Any] = {}
    for event in events_between(app.container.get(opened_database), period):
        found[f"{event.kind} {event.subject}"] = event
    return found


def archive(app: CancellationApp, folder: Path) -> Rows:
    place = folder / "archives"
    app.container.get(archive_services).archive.export("bag", month(app), storage_of(str(place)))
    text = (place / "bag" / "data" / "documents.csv").read_text()
    found = {row["uuid"]: row for row in csv.DictReader(io.StringIO(text, newline=""))}
    for file in sorted(place.rglob("*"), reverse=True):
        file.unlink() if file.is_file() else file.rmdir()
    return found


def reports(app: CancellationApp, _folder: Path) -> Rows:
    found: dict[str, Any] = {}
    for name, write in app.container.get(provider_reports).csv_files(month(app)):
        content = io.BytesIO()
        write(content)
        found |= {f"{name} {line}": True for line in content.getvalue().decode().splitlines() if FOLIO.search(line)}
    return found


def metadata(app: CancellationApp, _folder: Path) -> Rows:
    documents = DownloadDocuments(app.container.get(opened_database), app.container.get(sandbox_ledger))
    since, until = "2026-11-01T00:00:00", "2026-11-30T23:59:59"
    criteria = DownloadCriteria(RequestOperation.ISSUED, PackageType.METADATA, since, until)
    return {found.uuid: found for register in DocumentRegister for found in documents.find(criteria, register)}


def month(app: CancellationApp) -> DayPeriod:
    today = app.now.date()
    return DayPeriod(today.replace(day=1), today.replace(day=28))


def indexed(app: CancellationApp, _folder: Path) -> Rows:
    """Write the rows of lists again."""
    database = app.container.get(opened_database)
    with database.write() as connection:
        for table in (LISTED_DOCUMENT, STAMP_WORD, DOCUMENT_SUM, STAMP_WORD_PROGRESS):
            connection.execute(delete(table))
    app.container.get(document_index).index()
    with database.read() as connection:
        return {str(row.uuid): tuple(row) for row in connection.execute(select(LISTED_DOCUMENT))}


def sums(app: CancellationApp, _folder: Path) -> Rows:
    """Read sums and counts, which have all but the damaged document."""
    documents, account = app.container.get(document_services), app.caller.account_id
    for state in (None, *DocumentState):
        totals = documents.listing.totals(StampFilter(account, state=state))
        found = sum(each.documents + each.cancelled for each in totals.by_kind.values()) + totals.damaged
        assert state is not None or found >= STAMPS - 1
        assert documents.listing.found(StampFilter(account, state=state)).is_exact
    assert documents.listing.count(StampFilter(account, words=("ABARROTES",)), 100) >= 0
    today = app.now.astimezone(CENTRAL_MEXICO).date()
    days = app.container.get(operations_services).usage.days(account, today, today)
    assert sum(each.stamps for each in days.values()) >= STAMPS - 1
    return {}


def consumers(app: CancellationApp, _folder: Path) -> Rows:
    app.container.get(operations_services).usage.count()
    app.container.get(authority_work).deliver()
    app.container.get(sandbox_ledger).synchronize()
    return {}


READERS: Mapping[str, Reader] = {
    "pages": pages,
    "exports": exports,
    "answers": answers,
    "events": events,
    "archive": archive,
    "reports": reports,
    "metadata": metadata,
    "sums": sums,
    "consumers": consumers,
}


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def app(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    folder = tmp_path_factory.mktemp("data") / "sandbox"
    if request.param == "sqlite":
        made = CancellationApp(folder, wall=MovableClock())
        populate(made)
        yield made
        made.container.close()
        return
    need_postgresql()
    with postgresql_database() as url:
        made = CancellationApp(folder, database_url=url, wall=MovableClock())
        populate(made)
        yield made
        made.container.close()


def populate(app: CancellationApp) -> None:
    folios = [app.invoice(price=f"{price}.00") for price in (100, 200, 300, 400)]
    app.retencion()
    app.payment(folios[0])
    app.cancel(folios[1])
    app.container.get(document_index).index()
    consumers(app, app.container.settings.data)


@contextmanager
def nulled(app: CancellationApp, table: Table, column: Column[Any]) -> Iterator[None]:
    """Store NULL in a column that does not allow it, as a flipped bit of the header of a record does."""
    key, before = stored(app.container, table, column, ROW)
    same = " AND ".join(f"{one.name} = ?" for one in table.primary_key)
    with closing(sqlite3.connect(str(app.container.get(opened_database).engine.url.database))) as connection:
        connection.isolation_level = None
        [schema] = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table.name,)).fetchone()

        def declare(sql: str) -> None:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (sql, table.name))
            connection.execute("PRAGMA writable_schema = RESET")

        def write(value: object) -> None:
            declare(schema.replace("NOT NULL", ""))
            connection.execute(f"UPDATE {table.name} SET {column.name} = ? WHERE {same}", (value, *key))
            declare(schema)

        write(None)
        try:
            yield
        finally:
            write(before)


def damages(app: CancellationApp, table: Table, column: Column[Any]) -> list[AbstractContextManager[None]]:
    """Return damages of a column of one row, some of them in the quick form; on PostgreSQL values of its type."""
    _, before = stored(app.container, table, column, ROW)
    # The key of another row cannot be stored twice.
    bits = (6, 40, 62) if column.primary_key else (0, 6, 40, 62)
    is_sqlite = app.container.get(opened_database).dialect == "sqlite"
    width = 64 if is_sqlite or isinstance(column.type, BigInteger) or not isinstance(column.type, Integer) else 15
    values = [flipped(before, bit) for bit in (bits if isinstance(before, int) else (0, 6)) if bit < width]
    if is_sqlite and not column.primary_key:
        values += [1.5, "x", "", b"\xff\x00", b"41", literal_column("CAST(x'41ff' AS TEXT)")]
    found: list[AbstractContextManager[None]] = [changed(app.container, table, column, value, ROW) for value in values]
    if is_sqlite and not column.primary_key and isinstance(before, int):
        found.append(nulled(app, table, column))
    return found if LONG else random.Random(column.name).sample(found, 2 if is_sqlite else 1)


@pytest.mark.parametrize("table", [STAMP, EVENT, LISTED_DOCUMENT], ids=str)
def test_readers_have_the_other_rows_when_one_value_is_damaged(
    app: CancellationApp, table: Table, tmp_path: Path
) -> None:
    before = {name: read(app, tmp_path) for name, read in READERS.items()}
    folio = table.c.subject if table is EVENT else table.c.uuid
    _, subject = stored(app.container, table, folio, ROW)
    number, problems = 0, []
    for column in table.c:
        if isinstance(column.type, JSON) and app.container.get(opened_database).dialect != "sqlite":
            continue  # PostgreSQL stores JSON only
        for damage in damages(app, table, column):
            with damage:
                number += 1
                for name, read in READERS.items():
                    try:
                        found = read(app, tmp_path)
                    except Exception as error:
                        problems.append(f"{column.name} {number} {name}: {error!r}")
                        continue
                    sound = {each: value for each, value in before[name].items() if str(subject) not in each}
                    problems += [
                        f"{column.name} {number} {name}: {each}" for each in sound if found.get(each) != sound[each]
                    ]
    assert not problems, "\n".join(problems)
    assert number >= len(table.c) - 2
