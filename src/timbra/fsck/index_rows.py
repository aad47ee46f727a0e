"""The index of stamped documents: words of searches, rows of lists, states of cancellations, and sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, fields
from types import SimpleNamespace

from sqlalchemy import Connection, select, update

from timbra.cfdi.build import thread_parser
from timbra.cfdi.tfd import read_stamps
from timbra.database.engines import without_statement_timeout
from timbra.database.membership import rows_in
from timbra.database.tables.column_types import from_microseconds
from timbra.database.tables.search import CANCELLATION_SUM, DOCUMENT_SUM, HAS_STATE, LISTED_DOCUMENT, STAMP_WORD
from timbra.database.tables.stamps import EVENT, IS_CANCELLATION
from timbra.documents.words import indexed_document
from timbra.events.cancellation_states import DocumentState, state_after
from timbra.events.exclusive import read_one_instant
from timbra.fsck.check import ExaminedStamp, FsckCheck, FsckRun
from timbra.fsck.derived_rows import DerivedRows, DerivedTable, Values
from timbra.fsck.findings import Cure, FsckFinding, Repair, shown
from timbra.fsck.stamp_rows import derived_columns
from timbra.stamps.document_index import PROGRESS, IndexedDocument, ListedRow, listed_row
from timbra.stamps.document_sums import PARTS, SUMMED, DocumentSums, stored_state
from timbra.stamps.listed_states import unread_states

W, L = STAMP_WORD.c, LISTED_DOCUMENT.c
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
    columns = tuple(L[item.name] for item in fields(ListedRow))
    rows = DerivedTable(LISTED_DOCUMENT, columns, 1, "cursor", listed, (L.cursor <= indexed,), is_due)
    return (
        DerivedRows(run, DerivedTable(STAMP_WORD, of_words, 3, "cursor", words, (W.cursor <= indexed,), is_due)),
        DerivedRows(run, rows),
        ListedSums(run, read),
    )


class ListedSums:
    """Adds the amounts of the indexed stamps by the keys of both tables of sums, and compares what is stored."""

    def __init__(self, run: FsckRun, read: Read) -> None:
        """Read at one instant what is stored, and up to which stamp; a row of a later one is in the sums too."""
        self._run = run
        self._read = read
        self._is_known = True
        self._sums = [DocumentSums(table) for table in (DOCUMENT_SUM, CANCELLATION_SUM)]
        with run.database.read() as connection:
            read_one_instant(connection)
            self._states = _States(connection).by_folio()
            self._indexed = connection.execute(PROGRESS).scalar() or 0
            for row in connection.execute(select(L.uuid, *SUMMED).where(L.cursor > self._indexed)):
                self._add(SimpleNamespace(**row._mapping))
            self._stored = [self._rows(connection, sums) for sums in self._sums]

    def _rows(self, connection: Connection, sums: DocumentSums) -> dict[tuple[object, ...], tuple[int, ...]]:
        rows = connection.execute(select(*(sums.table.c[name] for name in (*sums.keys, *PARTS))))
        return {tuple(row[: len(sums.keys)]): tuple(row[len(sums.keys) :]) for row in rows}

    def _add(self, row: SimpleNamespace) -> None:
        of_all, of_states = self._sums
        of_all.add(row)
        row.state = self._states.get(row.uuid)
        if row.state is not None:
            of_states.add(row)

    def see(self, stamp: ExaminedStamp) -> Iterable[FsckFinding]:
        """Add a stamp that is indexed."""
        if stamp.cursor <= self._indexed:
            row = _row_of(stamp, self._read)
            if row is None:
                self._is_known = False
            else:
                self._add(_with_instant(row))
        return ()

    def finish(self) -> Iterator[FsckFinding]:
        """Compare, unless the document of a stamp cannot be read, or its account is in doubt."""
        is_known = self._is_known and not self._run.doubtful
        for sums, stored in zip(self._sums, self._stored, strict=True):
            yield from _compared(sums, stored) if is_known else ()


def _compared(sums: DocumentSums, stored: Mapping[tuple[object, ...], tuple[int, ...]]) -> Iterator[FsckFinding]:
    derived, nothing = dict(sums.rows()), (0,) * len(PARTS)
    for key in sorted(derived.keys() | stored.keys(), key=repr):
        before, after = stored.get(key), derived.get(key, nothing)
        for name, old, new in zip(PARTS, before or nothing, after, strict=True):
            if old != new:
                place, named = sums.table.name, " ".join(map(str, key))
                repair = _writes(sums, key, before, after)
                yield FsckFinding("row-differs", place, named, name, str(old), str(new), Cure.REPAIR, repair)


def _writes(
    sums: DocumentSums, key: tuple[object, ...], before: tuple[int, ...] | None, after: tuple[int, ...]
) -> Repair:
    table, of_key = sums.table, dict(zip(sums.keys, key, strict=True))

    def repair(connection: Connection) -> bool:
        values = dict(zip(PARTS, after, strict=True))
        if before is None:
            connection.execute(table.insert().values(**of_key, **values))
            return True
        same = [table.c[name] == value for name, value in (*of_key.items(), *zip(PARTS, before, strict=True))]
        return bool(connection.execute(update(table).where(*same).values(values)).rowcount)

    return repair


class _States:
    """What is stored of the states of documents and what their events derive, in one transaction."""

    def __init__(self, connection: Connection) -> None:
        unread = unread_states(connection)
        # A damaged event names nothing that a state could be compared with.
        events = select(EVENT.c.subject, EVENT.c.kind).where(IS_CANCELLATION).order_by(EVENT.c.subject, EVENT.c.id)
        self.derived: dict[str, DocumentState] = {}
        for subject, kind in connection.execute(events):
            self.derived[subject] = state_after(kind, self.derived.get(subject, DocumentState.VALID))
        self.stored = {row.uuid: row.state for row in connection.execute(select(L.uuid, L.state).where(HAS_STATE))}
        for uuid in unread:
            self.derived.pop(uuid, None)
        self.unread = unread.keys()

    def by_folio(self) -> dict[str, str]:
        """Return the states that the sums should have: those that the events derive."""
        derived = {uuid: state.value for uuid, state in self.derived.items() if state is not DocumentState.VALID}
        return derived | {uuid: state for uuid, state in self.stored.items() if uuid in self.unread}


def check_states(run: FsckRun) -> Iterator[FsckFinding]:
    """Compare the states of the rows of lists with the events that the consumer has read."""
    with run.database.read() as connection, without_statement_timeout(connection):
        read_one_instant(connection)
        states = _States(connection)
        # Of a month whose events were pruned, documents without events may have a state.
        known = states.derived.keys() if run.bounds.pruned else states.derived.keys() | states.stored.keys()
        wrong = {
            uuid: states.derived.get(uuid, DocumentState.VALID)
            for uuid in known - states.unread
            if stored_state(states.derived.get(uuid, DocumentState.VALID)) != states.stored.get(uuid)
        }
        listed = {row.uuid: row.cursor for row in rows_in(connection, select(L.uuid, L.cursor), L.uuid, wrong)}
    for uuid, state in sorted(wrong.items()):
        if uuid in listed:
            told = shown(states.stored.get(uuid)), shown(stored_state(state))
            repair = _sets(listed[uuid], states.stored.get(uuid), state)
            yield FsckFinding(
                "row-differs", LISTED_DOCUMENT.name, str(listed[uuid]), "state", *told, Cure.REPAIR, repair
            )


def _sets(cursor: int, before: str | None, state: DocumentState) -> Repair:
    def repair(connection: Connection) -> bool:
        # The sums are compared besides.
        change = update(LISTED_DOCUMENT).where(L.cursor == cursor, L.state.is_not_distinct_from(before))
        return bool(connection.execute(change.values(state=stored_state(state))).rowcount)

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
    values = {name: getattr(row, name) for name in ("uuid", "account_id", "kind", "currency", "units", "millionths")}
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


CHECKS = (
    FsckCheck("index of documents", observers=index_observers),
    FsckCheck("states of documents", check_states),
)
