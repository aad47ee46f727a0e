"""Rows, sums and words of stamps, and searches of them, on both databases, also when cursors are committed late."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import delete, select, text, update
from tests.support.store_records import NOON, MovableClock, insert_account, record

from timbra.cfdi.search_words import search_words
from timbra.database.database import Database, open_database
from timbra.database.tables.search import (
    CANCELLATION_SUM,
    DOCUMENT_SUM,
    LISTED_DOCUMENT,
    STAMP_WORD,
    STAMP_WORD_PROGRESS,
)
from timbra.database.tables.stamps import EVENT_CONSUMER, STAMP
from timbra.events.cancellation_states import DocumentState
from timbra.events.dispatcher import EventDispatcher
from timbra.events.event_log import Event, append_events
from timbra.sandbox.store.reset import ResetRepository
from timbra.stamps.conditions import listed_branches
from timbra.stamps.document_index import DocumentIndex, IndexedDocument
from timbra.stamps.document_sums import remove_listed
from timbra.stamps.listed_states import states_consumer, unread_states
from timbra.stamps.port import Claim
from timbra.stamps.repository import DatabaseStamps
from timbra.stamps.search import Found, Order, StampFilter, StampSearch, _keyset
from timbra.stamps.search_sums import AmountSum, add_sums

LAG = timedelta(minutes=3)

ANA, BEA = 1, 2
WAITING = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
NAMES = ["Peñón de México, S.A.", "PEÑALOSA Y CÍA", "ACME 100% OFF_", "O'Brien <script>"]


def words_of(cfdi: bytes) -> IndexedDocument:
    return IndexedDocument(search_words([cfdi.decode()], 24), "MXN")


def stamp(database: Database, number: int, name: str, account: int = ANA) -> None:
    made = replace(record(number, account=account, at=NOON + timedelta(hours=number)), cfdi=name.encode())
    DatabaseStamps(database, MovableClock()).claim([Claim(made)])


@pytest.fixture
def words(database: Database) -> DocumentIndex:
    """Ana has a stamp of each name, Bea one of the first."""
    for number, name in enumerate(NAMES):
        stamp(database, number, name)
    stamp(database, 10, NAMES[0], BEA)
    return DocumentIndex(database, words_of, MovableClock())


def found(database: Database, searched: str, account: int = ANA) -> list[str]:
    wanted = StampFilter(account, words=tuple(search_words([searched], 8)))
    return [one.folio for one in StampSearch(database).page(wanted).stamps]


@pytest.mark.parametrize(
    ("searched", "folios"),
    [
        ("peñon", "0"),
        ("PEN", "1 0"),
        ("mexico peñon", "0"),
        ("pen acme", ""),
        ("100", "2"),
        ("%", "3 2 1 0"),
        ("off_", "2"),
        ("brien", "3"),
        ("script", "3"),
        ("exico", ""),
    ],
)
def test_page_finds_words_that_begin_with_those_of_the_search(
    database: Database, words: DocumentIndex, searched: str, folios: str
) -> None:
    assert words.index() == 5
    assert found(database, searched) == folios.split()


def test_page_finds_the_documents_of_the_account_alone(database: Database, words: DocumentIndex) -> None:
    words.index()
    assert found(database, "peñon", BEA) == ["10"]


def test_index_reads_each_stamp_once(database: Database, words: DocumentIndex) -> None:
    assert [words.index(), words.index()] == [5, 0]
    stamp(database, 11, "Nueva")
    assert words.index() == 1
    assert found(database, "nueva") == ["11"]
    assert DocumentIndex(database, words_of, MovableClock()).index() == 0


def test_index_stops_at_its_limit(database: Database, words: DocumentIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("timbra.stamps.document_index.AT_ONCE", 2)
    assert words.index(2) == 2
    assert found(database, "acme") == []
    assert words.index() == 3
    assert found(database, "acme") == ["2"]


def test_index_when_idle_waits_until_few_stamps_come(
    database: Database, words: DocumentIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("timbra.stamps.document_index.IDLE_RATE", 1.0)
    monkeypatch.setattr("timbra.stamps.document_index.SHORTEST_PERIOD", 2.0)
    assert words.index_when_idle() == 0
    for number in range(20, 24):
        stamp(database, number, "Muchas")
    assert words.index_when_idle() == 0
    assert words.index_when_idle() == 9
    assert found(database, "muchas") == ["23", "22", "21", "20"]


def test_index_when_idle_writes_the_excess_while_stamps_come(
    database: Database, words: DocumentIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("timbra.stamps.document_index.AT_ONCE", 1)
    monkeypatch.setattr("timbra.stamps.document_index.MAX_WAITING", 3)
    assert words.index_when_idle() == 2
    assert words.index() == 3


def test_catch_up_says_whether_every_stamp_has_its_words(
    database: Database, words: DocumentIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("timbra.stamps.document_index.AT_ONCE", 2)
    assert [words.catch_up(0) for _ in range(3)] == [False, False, True]
    assert found(database, "acme") == ["2"]


def test_index_finds_a_stamp_that_is_committed_after_later_ones(database: Database) -> None:
    if database.dialect == "sqlite":
        pytest.skip("SQLite commits in the order of the cursors")
    clock = MovableClock()
    words = DocumentIndex(database, words_of, clock)
    for number in (1, 2):
        stamp(database, number, f"Nombre{number}")
    with database.write() as connection:
        connection.execute(update(STAMP).values(cursor=STAMP.c.cursor + 5))
    words.index()
    clock.advance(seconds=10)
    stamp(database, 3, "Atrasada")
    with database.write() as connection:
        connection.execute(update(STAMP).where(STAMP.c.folio == "3").values(cursor=3))

    assert words.index() == 1
    assert found(database, "atrasada") == ["3"]
    assert progress(database) == 0
    clock.advance(seconds=LAG.total_seconds())
    words.index()
    assert progress(database) == 7


def test_index_looks_up_more_missing_cursors_than_a_statement_has_parameters(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    if database.dialect == "sqlite":
        pytest.skip("SQLite commits in the order of the cursors")
    monkeypatch.setattr("timbra.stamps.document_index.MAX_GAP", 400_000)
    monkeypatch.setattr("timbra.stamps.document_index.AT_ONCE", 2)
    words = DocumentIndex(database, words_of, MovableClock())
    stamp(database, 1, "Primera")
    with database.write() as connection:
        connection.execute(update(STAMP).values(cursor=300_000))
    assert words.index() == 1
    for number in (2, 3, 4):
        stamp(database, number, "Atrasada")
    with database.write() as connection:
        for number in (2, 3, 4):
            late = update(STAMP).where(STAMP.c.folio == str(number))
            connection.execute(late.values(cursor=number * 70_000))

    assert words.index() == 3
    assert found(database, "atrasada") == ["4", "3", "2"]
    assert words.index() == 0


def progress(database: Database) -> int:
    with database.read() as connection:
        return connection.execute(select(STAMP_WORD_PROGRESS.c.indexed)).scalar() or 0


def test_index_starts_again_after_the_newest_stamps_were_removed(database: Database, words: DocumentIndex) -> None:
    words.index()
    with database.write() as connection:
        connection.execute(delete(STAMP).where(STAMP.c.account_id == BEA))
    words.index()
    with database.read() as connection:
        assert connection.execute(select(STAMP_WORD).where(STAMP_WORD.c.account_id == BEA)).first() is None
    stamp(database, 12, "Otra", BEA)
    words.index()

    assert found(database, "otra", BEA) == ["12"]
    assert found(database, "peñon", BEA) == []


def test_index_reads_stamps_that_get_the_cursors_of_deleted_ones(database: Database, words: DocumentIndex) -> None:
    for number in (11, 12):
        stamp(database, number, NAMES[1], BEA)
    words.index()
    with database.write() as connection:
        ResetRepository(connection).clear_account(BEA)
    # More than were deleted, before the next run of a job.
    for number in range(20, 25):
        stamp(database, number, "Nueva", BEA)
    DocumentIndex(database, words_of, MovableClock()).index(4)
    words.index()
    assert found(database, "nueva", BEA) == ["24", "23", "22", "21", "20"]
    assert found(database, "peñalosa", BEA) == []


def test_index_skips_a_damaged_document(database: Database, words: DocumentIndex) -> None:
    with database.write() as connection:
        connection.execute(update(STAMP).where(STAMP.c.folio == "0").values(cfdi=b"\x01damaged"))
    assert words.index() == 5
    assert found(database, "pen") == ["1"]


def test_search_by_few_words_reads_indexes(sqlite_address: str) -> None:
    """Assert that SQLite finds the words in a range of the primary key and scans neither table."""
    database = open_database(sqlite_address, "sandbox")
    wanted = StampFilter(ANA, words=("ACME", "SA"), number=("A", "1"))
    keyset = _keyset(LISTED_DOCUMENT.c, Order.STAMPED, ascending=False)
    with database.read() as connection:
        steps = []
        for branch in listed_branches(connection, wanted, 10):
            query = keyset.query(branch.condition, None, 10).compile(connection, compile_kwargs={"literal_binds": True})
            steps += [row[-1] for row in connection.execute(text(f"EXPLAIN QUERY PLAN {query}"))]
    database.close()
    assert sum("stamp_word USING PRIMARY KEY (account_id=? AND word>? AND word<?)" in step for step in steps) == 2
    assert not [step for step in steps if step.startswith("SCAN")]


@pytest.mark.parametrize("few", [0, 100])
@pytest.mark.parametrize("dispatched", ["before", "after", "never"])
def test_page_and_sums_are_the_same_for_few_and_many_documents(
    database: Database, monkeypatch: pytest.MonkeyPatch, few: int, dispatched: str
) -> None:
    """The consumer of the states reads the events before the stamps have their rows, after it, or not at all."""
    for name in ("FEW", "FEW_OF_PAGE"):
        monkeypatch.setattr(f"timbra.stamps.search.{name}", few)
    for name, value in (("FEW", few), ("AT_ONCE", 2), ("PART_SECONDS", 0)):
        monkeypatch.setattr(f"timbra.stamps.search_sums.{name}", value)
    made = []
    for number, (name, total) in enumerate(zip(NAMES, ("0", "50.00", "50", "116.00"), strict=True)):
        one = replace(record(number, at=NOON + timedelta(hours=number)), cfdi=name.encode(), total=total)
        made.append(one)
    DatabaseStamps(database, MovableClock()).claim([Claim(one) for one in made])
    for number, kind in ((1, "requested"), (2, "requested"), (2, "cancelled"), (3, "requested"), (3, "rejected")):
        append(database, made[number].uuid, kind)
    index = DocumentIndex(database, words_of, MovableClock())
    if dispatched == "before":
        dispatch(database, index)
    index.index()
    if dispatched == "after":
        dispatch(database, index)
    with database.read() as connection:
        assert len(unread_states(connection)) == (3 if dispatched == "never" else 0)

    search, totals = StampSearch(database), {one.folio: Decimal(one.total) for one in made}
    states = {"1": DocumentState.PENDING, "2": DocumentState.CANCELLED}
    for wanted, folios in (
        (StampFilter(ANA, words=("PEN",)), "1 0"),
        (StampFilter(ANA, words=("PEN", "MEXICO")), "0"),
        (StampFilter(ANA, words=("ENON",)), ""),
        (StampFilter(ANA, least=Decimal("50.01")), "3"),
        (StampFilter(ANA, least=Decimal(50), most=Decimal("116")), "3 2 1"),
        (StampFilter(ANA, most=Decimal("50")), "2 1 0"),
        (StampFilter(ANA, most=Decimal("49.99"), words=("PEN",)), "0"),
        (StampFilter(ANA, state=DocumentState.CANCELLED), "2"),
        (StampFilter(ANA, state=DocumentState.PENDING), "1"),
        (StampFilter(ANA, state=DocumentState.VALID), "3 0"),
        (StampFilter(ANA, state=DocumentState.VALID, kind="E"), ""),
        (StampFilter(ANA, state=DocumentState.CANCELLED, least=Decimal(50)), "2"),
        (StampFilter(ANA, state=DocumentState.VALID, words=("PEN",)), "0"),
        (StampFilter(None, uuid=made[2].uuid, state=DocumentState.CANCELLED), "2"),
        (StampFilter(ANA, uuid=made[2].uuid, state=DocumentState.VALID), ""),
        (StampFilter(ANA, uuids=(made[1].uuid, made[3].uuid), state=DocumentState.VALID), "3"),
        (StampFilter(ANA), "3 2 1 0"),
    ):
        assert [one.folio for one in search.page(wanted).stamps] == folios.split(), wanted
        assert search.count(wanted, 10) == len(folios.split()), wanted
        assert search.found(wanted, 10) == Found(len(folios.split())), wanted
        amounts: dict[DocumentState, list[Decimal]] = {}
        for folio in folios.split():
            amounts.setdefault(states.get(folio, DocumentState.VALID), []).append(totals[folio])
        expected = {
            AmountSum("I", "MXN", len(each), 0, sum(each, Decimal(0)), state) for state, each in amounts.items()
        }
        assert set(search.sums(wanted)) == expected, wanted
        assert set(in_parts(search, wanted)) == expected, wanted


def append(database: Database, uuid: str, step: str) -> None:
    with database.write() as connection:
        append_events(connection, [Event(NOON, NOON, ANA, f"cancellation.{step}", uuid, "", {})])


def dispatch(database: Database, index: DocumentIndex) -> None:
    EventDispatcher(database, [states_consumer(index.list_documents)], MovableClock()).run()


def in_parts(search: StampSearch, wanted: StampFilter) -> list[AmountSum]:
    parts = [search.sums_from(wanted)]
    while (place := parts[-1].following) is not None:
        assert parts[-1].done <= parts[-1].number
        parts.append(search.sums_from(wanted, place))
    return add_sums(each for part in parts for each in part.sums)


def test_sums_in_parts_go_through_the_accounts(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("FEW", 0), ("AT_ONCE", 2), ("PART_SECONDS", 0)):
        monkeypatch.setattr(f"timbra.stamps.search_sums.{name}", value)
    for number, user in ((ANA, "ana"), (BEA, "bea")):
        insert_account(database, number, user)
        for place in range(3):
            stamp(database, 10 * number + place, NAMES[0], number)
    DocumentIndex(database, words_of, MovableClock()).index()
    search, wanted = StampSearch(database), StampFilter(None, words=("PENON",))

    parts = [search.sums_from(wanted)]
    while (following := parts[-1].following) is not None:
        parts.append(search.sums_from(wanted, following))
    assert [(part.done, part.number, sum(each.documents for each in part.sums)) for part in parts] == [
        (1, 6, 2),
        (2, 6, 1),
        (3, 6, 0),
        (4, 6, 0),
        (5, 6, 1),
        (0, 0, 2),
    ]


def test_states_follow_the_events_and_leave_with_their_documents(database: Database, words: DocumentIndex) -> None:
    words.index()
    with database.read() as connection:
        uuid, other = connection.execute(select(STAMP.c.uuid).order_by(STAMP.c.cursor).limit(2)).scalars()
    search = StampSearch(database)

    def documents() -> dict[str, int]:
        sums = {each.state.value: each.documents for each in search.sums(StampFilter(ANA))}
        for state in DocumentState:
            wanted = StampFilter(ANA, state=state)
            found = len(search.page(wanted).stamps)
            assert (found, search.found(wanted, 9).number) == (sums.get(state.value, 0),) * 2, state
        return sums

    for step, expected in (
        ("requested", {"vigente": 3, "proceso": 1}),
        ("rejected", {"vigente": 4}),
        ("received", {"vigente": 3, "proceso": 1}),
        ("expired", {"vigente": 3, "cancelado": 1}),
        ("received", {"vigente": 3, "cancelado": 1}),
        ("accepted", {"vigente": 3, "cancelado": 1}),
    ):
        append(database, uuid, step)
        assert documents() == expected, f"{step} is not read yet"
        dispatch(database, words)
        assert documents() == expected, step
    append(database, other, "cancelled")
    append(database, "a document of another server", "cancelled")
    dispatch(database, words)
    assert documents() == {"vigente": 2, "cancelado": 2}

    with database.write() as connection:
        remove_listed(connection, LISTED_DOCUMENT.c.uuid == uuid)
        connection.execute(delete(STAMP).where(STAMP.c.uuid == uuid))
    assert documents() == {"vigente": 2, "cancelado": 1}
    with database.write() as connection:
        connection.execute(delete(LISTED_DOCUMENT))
        connection.execute(delete(DOCUMENT_SUM))
        connection.execute(delete(CANCELLATION_SUM))
        connection.execute(delete(STAMP_WORD_PROGRESS))
        connection.execute(update(EVENT_CONSUMER).values(position=0, turn=EVENT_CONSUMER.c.turn + 1))
    again = DocumentIndex(database, words_of, MovableClock())
    dispatch(database, again)
    again.index()
    assert documents() == {"vigente": 2, "cancelado": 1}
    with database.write() as connection:
        ResetRepository(connection).clear_account(ANA)
    assert documents() == {}
    with database.read() as connection:
        assert connection.execute(select(CANCELLATION_SUM)).all() == []


def test_state_of_a_row_that_another_process_inserts_is_set(postgresql_address: str) -> None:
    """The consumer waits for the row; SQLite has one transaction at once."""
    database = open_database(postgresql_address, "sandbox")
    words = DocumentIndex(database, words_of, MovableClock())
    stamp(database, 0, NAMES[0])
    with database.read() as connection:
        uuid = connection.execute(select(STAMP.c.uuid).where(STAMP.c.folio == "0")).scalar_one()
    append(database, uuid, "cancelled")
    with database.write() as connection:
        words.list_documents(connection, [uuid])
        other = threading.Thread(target=dispatch, args=(database, words))
        other.start()
        while not connection.execute(text(WAITING)).scalar():
            connection.execute(text("SELECT pg_stat_clear_snapshot()"))
    other.join()

    with database.read() as connection:
        assert connection.execute(select(LISTED_DOCUMENT.c.state)).scalars().all() == ["cancelado"]
    database.close()


def test_sums_of_days_are_those_of_the_rows(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    hours, totals = (0, 11, 12, 40), ("10.10", "x", "20.000001", "999999999999999999.99")
    for number, (hour, total) in enumerate(zip(hours, totals, strict=True)):
        one = replace(record(number, at=NOON + timedelta(hours=hour)), total=total, kind="IIEI"[number])
        DatabaseStamps(database, MovableClock()).claim([Claim(one)])
    DocumentIndex(database, words_of, MovableClock()).index()
    search, midnight = StampSearch(database), NOON + timedelta(hours=12)
    selections = [
        StampFilter(ANA),
        StampFilter(ANA, kind="I"),
        StampFilter(ANA, retenciones=True),
        StampFilter(ANA, since=midnight),
        StampFilter(ANA, until=midnight),
        StampFilter(ANA, since=midnight, until=midnight + timedelta(days=1), kind="E"),
    ]
    of_days = [search.sums(wanted) for wanted in selections]
    monkeypatch.setattr("timbra.stamps.search_sums.is_of_days", lambda _: False)

    def by_key(sums: list[AmountSum]) -> list[AmountSum]:
        return sorted(sums, key=lambda each: each.kind)

    assert [by_key(sums) for sums in of_days] == [by_key(search.sums(wanted)) for wanted in selections]
    assert of_days[4] == [AmountSum("I", "MXN", 2, 1, Decimal("10.100000"))]


def test_row_that_another_process_wrote_is_added_once(database: Database, words: DocumentIndex) -> None:
    other = DocumentIndex(database, words_of, MovableClock())
    with database.write() as connection:
        connection.execute(update(STAMP).where(STAMP.c.folio == "1").values(total="x"))
    assert words.index() == 5
    with database.write() as connection:
        connection.execute(delete(STAMP_WORD_PROGRESS))
    assert other.index() == 5

    assert StampSearch(database).sums(StampFilter(ANA)) == [AmountSum("I", "MXN", 4, 1, Decimal(348))]


def test_remove_listed_leaves_the_rows_of_other_stamps(database: Database, words: DocumentIndex) -> None:
    words.index()
    with database.write() as connection:
        remove_listed(connection, LISTED_DOCUMENT.c.folio.in_(["1", "2"]))
        connection.execute(delete(STAMP).where(STAMP.c.folio.in_(["1", "2"])))
    search = StampSearch(database)

    assert [one.folio for one in search.page(StampFilter(ANA)).stamps] == ["3", "0"]
    assert search.sums(StampFilter(ANA)) == [AmountSum("I", "MXN", 2, 0, Decimal(232))]
    assert search.sums(StampFilter(BEA)) == [AmountSum("I", "MXN", 1, 0, Decimal(116))]


def test_sums_are_exact_for_the_largest_totals(database: Database) -> None:
    totals = ("999999999999999999.999999", "0.000001", "999999999999999999.99", "116.00", "x", "-1", "NaN")
    for number, total in enumerate(totals):
        made = replace(record(number, at=NOON + timedelta(hours=number)), total=total)
        DatabaseStamps(database, MovableClock()).claim([Claim(made)])
    DocumentIndex(database, words_of, MovableClock()).index()
    [found] = StampSearch(database).sums(StampFilter(ANA))
    assert (found.kind, found.currency, found.documents, found.damaged) == ("I", "MXN", 7, 3)
    assert found.total == Decimal("2000000000000000115.990000")


def test_sums_are_those_of_the_selection_by_kind_and_currency(database: Database) -> None:
    kinds, currencies = "IIEP", iter(("MXN", "USD", "MXN", "MXN"))
    for number, kind in enumerate(kinds):
        made = replace(record(number, at=NOON + timedelta(hours=number)), kind=kind)
        DatabaseStamps(database, MovableClock()).claim([Claim(made)])

    def read(_cfdi: bytes) -> IndexedDocument:
        currency = next(currencies)
        return IndexedDocument((), currency, Decimal("58.005") if currency == "MXN" else None)

    DocumentIndex(database, read, MovableClock()).index()
    search = StampSearch(database)
    found = {(each.kind, each.currency): each.total for each in search.sums(StampFilter(ANA))}
    assert found == {
        ("I", "MXN"): Decimal("58.005"),
        ("I", "USD"): Decimal(116),
        ("E", "MXN"): Decimal("58.005"),
        ("P", "MXN"): Decimal("58.005"),
    }
    [only] = search.sums(StampFilter(ANA, kind="I", folio="1"))
    assert (only.currency, only.documents) == ("USD", 1)
    assert search.sums(StampFilter(BEA)) == []


def test_page_by_total_has_each_document_once_in_both_directions(database: Database) -> None:
    for number, total in enumerate(("5", "1000", "20", "x", "20")):
        made = replace(record(number, at=NOON + timedelta(hours=number)), total=total)
        DatabaseStamps(database, MovableClock()).claim([Claim(made)])
    DocumentIndex(database, words_of, MovableClock()).index()
    search = StampSearch(database)
    found: dict[bool, list[str]] = {}
    for ascending in (False, True):
        pages = [search.page(StampFilter(ANA), None, 2, Order.TOTAL, ascending=ascending)]
        while (cursor := pages[-1].cursor) is not None:
            pages.append(search.page(StampFilter(ANA), cursor, 2, Order.TOTAL, ascending=ascending))
        found[ascending] = [one.folio for page in pages for one in page.stamps]
    assert found == {True: ["3", "0", "2", "4", "1"], False: ["1", "4", "2", "0", "3"]}
