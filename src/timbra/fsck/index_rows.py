"""The index of stamped documents: words of searches, rows of lists, and sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple
from types import SimpleNamespace

from sqlalchemy import Connection, select, update

from timbra.cfdi.build import thread_parser
from timbra.cfdi.tfd import read_stamps
from timbra.database.tables.column_types import from_microseconds
from timbra.database.tables.search import DOCUMENT_SUM, LISTED_DOCUMENT, STAMP_WORD
from timbra.documents.words import indexed_document
from timbra.events.exclusive import read_one_instant
from timbra.fsck.check import ExaminedStamp, FsckCheck, FsckRun
from timbra.fsck.derived_rows import DerivedRows, DerivedTable, Values
from timbra.fsck.findings import Cure, FsckFinding, Repair
from timbra.fsck.stamp_rows import derived_columns
from timbra.stamps.document_index import PROGRESS, IndexedDocument, ListedRow, listed_row
from timbra.stamps.document_sums import KEYS, PARTS, DocumentSums

W, L, D = STAMP_WORD.c, LISTED_DOCUMENT.c, DOCUMENT_SUM.c
_COLUMNS = ("kind", "serie", "folio", "fecha", "issuer_rfc", "receiver_rfc")
Read = Callable[[ExaminedStamp], IndexedDocument | None]


def index_observers(run: FsckRun) -> Sequence[DerivedRows | ListedSums]:
    """Compare words, rows of lists and sums of the stamps that are indexed."""
    with run.database.read() as connection:
        indexed = connection.execute(PROGRESS).scalar() or 0
    read = _last_read(run)

    def is_due(stamp: ExaminedStamp) -> bool:
        return stamp.cursor <= indexed

    def words(stamp: ExaminedStamp) -> Iterable[Values] | None:
        found = read(stamp)
        return None if found is None else {(stamp.account_id, word, stamp.cursor) for word in found.words}

    def listed(stamp: ExaminedStamp) -> Iterable[Values] | None:
        row = _row_of(stamp, read)
        return None if row is None else [astuple(row)]

    of_words = (W.account_id, W.word, W.cursor)
    rows = DerivedTable(LISTED_DOCUMENT, tuple(L), 1, "cursor", listed, (L.cursor <= indexed,), is_due)
    return (
        DerivedRows(run, DerivedTable(STAMP_WORD, of_words, 3, "cursor", words, (W.cursor <= indexed,), is_due)),
        DerivedRows(run, rows),
        ListedSums(run, read),
    )


class ListedSums:
    """Adds the amounts of the indexed stamps by account, day, kind and currency, and compares what is stored."""

    def __init__(self, run: FsckRun, read: Read) -> None:
        """Read at one instant what is stored, and up to which stamp; a row of a later one is in the sums too."""
        self._run = run
        self._read = read
        self._is_known = True
        self._sums = DocumentSums()
        with run.database.read() as connection:
            read_one_instant(connection)
            self._indexed = connection.execute(PROGRESS).scalar() or 0
            columns = (L.account_id, L.stamped_at, L.kind, L.currency, L.units, L.millionths)
            for row in connection.execute(select(*columns).where(L.cursor > self._indexed)):
                self._sums.add(row)
            keys, parts = (tuple(D[name] for name in names) for names in (KEYS, PARTS))
            rows = connection.execute(select(*keys, *parts)).all()
        self._stored = {tuple(row[: len(KEYS)]): tuple(row[len(KEYS) :]) for row in rows}

    def see(self, stamp: ExaminedStamp) -> Iterable[FsckFinding]:
        """Add a stamp that is indexed."""
        if stamp.cursor <= self._indexed:
            row = _row_of(stamp, self._read)
            if row is None:
                self._is_known = False
            else:
                self._sums.add(_with_instant(row))
        return ()

    def finish(self) -> Iterator[FsckFinding]:
        """Compare, unless the document of a stamp cannot be read, or its account is in doubt."""
        is_known = self._is_known and not self._run.doubtful
        derived = dict(self._sums.rows()) if is_known else self._stored
        nothing = (0,) * len(PARTS)
        for key in sorted(derived.keys() | self._stored.keys(), key=repr):
            before, after = self._stored.get(key), derived.get(key, nothing)
            for name, old, new in zip(PARTS, before or nothing, after, strict=True):
                if old != new:
                    place, shown = DOCUMENT_SUM.name, " ".join(map(str, key))
                    repair = _writes(key, before, after)
                    yield FsckFinding("row-differs", place, shown, name, str(old), str(new), Cure.REPAIR, repair)


def _writes(key: tuple[object, ...], before: tuple[int, ...] | None, after: tuple[int, ...]) -> Repair:
    of_key = dict(zip(KEYS, key, strict=True))

    def repair(connection: Connection) -> bool:
        values = dict(zip(PARTS, after, strict=True))
        if before is None:
            connection.execute(DOCUMENT_SUM.insert().values(**of_key, **values))
            return True
        same = [D[name] == value for name, value in (*of_key.items(), *zip(PARTS, before, strict=True))]
        return bool(connection.execute(update(DOCUMENT_SUM).where(*same).values(values)).rowcount)

    return repair


def _row_of(stamp: ExaminedStamp, read: Read) -> ListedRow | None:
    """Return the row of a stamp, with its instant as it is stored; None for a document that cannot be read."""
    document = read(stamp)
    if document is None or stamp.document is None:
        return None
    stamps = read_stamps(stamp.document.root)
    derived = derived_columns(stamp.document, stamps[0]) if len(stamps) == 1 else {}
    own = {name: derived.get(name, getattr(stamp.row, name)) for name in _COLUMNS}
    known = {name: getattr(stamp, name) for name in ("cursor", "account_id", "uuid", "stamped_at", "total")}
    return listed_row(SimpleNamespace(**known, **own), document)


def _with_instant(row: ListedRow) -> SimpleNamespace:
    values = {name: getattr(row, name) for name in ("account_id", "kind", "currency", "units", "millionths")}
    return SimpleNamespace(**values, stamped_at=from_microseconds(int(row.stamped_at)))  # type: ignore[call-overload]


def _last_read(run: FsckRun) -> Read:
    """Return a function that reads the document of a stamp; it reads it once for several calls in succession."""
    parser = thread_parser(run.container)
    last: list[tuple[bytes, IndexedDocument]] = []

    def read(stamp: ExaminedStamp) -> IndexedDocument | None:
        if stamp.document is None:
            return None
        if not last or last[0][0] is not stamp.cfdi:
            last[:] = [(stamp.cfdi, indexed_document(parser, stamp.cfdi))]
        return last[0][1]

    return read


CHECKS = (FsckCheck("index of documents", observers=index_observers),)
