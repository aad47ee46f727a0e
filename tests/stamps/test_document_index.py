"""Search of stamps by words: names and descriptions, on both databases, also when cursors are committed late."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import delete, select, text, update
from tests.support.store_records import NOON, MovableClock, record

from timbra.cfdi.search_words import search_words
from timbra.database.database import Database, open_database
from timbra.database.tables.search import STAMP_WORD, STAMP_WORD_PROGRESS
from timbra.database.tables.stamps import STAMP
from timbra.sandbox.store.reset import ResetRepository
from timbra.stamps.document_index import DocumentIndex, IndexedDocument
from timbra.stamps.port import Claim
from timbra.stamps.repository import DatabaseStamps
from timbra.stamps.search import LISTING, StampFilter, StampSearch, _branches

LAG = timedelta(minutes=3)

ANA, BEA = 1, 2
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


def test_search_by_words_reads_indexes(sqlite_address: str) -> None:
    """Assert that SQLite finds the words in a range of the primary key and scans neither table."""
    database = open_database(sqlite_address, "sandbox")
    wanted = StampFilter(ANA, words=("ACME", "SA"), number=("A", "1"))
    with database.read() as connection:
        steps = []
        for branch in _branches(wanted, [ANA]):
            query = LISTING.query(branch, None, 10).compile(connection, compile_kwargs={"literal_binds": True})
            steps += [row[-1] for row in connection.execute(text(f"EXPLAIN QUERY PLAN {query}"))]
    database.close()
    assert sum("stamp_word USING PRIMARY KEY (account_id=? AND word>? AND word<?)" in step for step in steps) == 2
    assert not [step for step in steps if step.startswith("SCAN")]
