"""The transparency log: its tree follows from its leaves, and each stamp, cancellation and link has its leaf."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import islice
from typing import Any, Final, TypeAlias

import orjson
from sqlalchemy import Connection, Row, or_, select

from timbra.container.build import data_folder
from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError
from timbra.database.engines import without_statement_timeout
from timbra.database.tables.audit import AUDIT_CHECKPOINT, AUDIT_EVENT, AUDIT_LEAF, AUDIT_LINK, AUDIT_NODE
from timbra.database.tables.column_types import from_microseconds, to_microseconds
from timbra.database.tables.stamps import EVENT, STAMP
from timbra.events.dispatcher import set_apart, unread
from timbra.events.exclusive import read_one_instant
from timbra.fsck.check import ExaminedStamp, FsckCheck, FsckRun
from timbra.fsck.findings import Cure, FsckFinding, shown
from timbra.fsck.reading import TableReader, Unreadable, unreadable
from timbra.fsck.sums import BucketSums, buckets_for
from timbra.transparency.build import audit_keys
from timbra.transparency.consumer import CONDITION, STAMPED, log_consumer
from timbra.transparency.leaves import AUDIT, Leaf, event_digest, last_logged_link, tree_size
from timbra.transparency.log import FILE
from timbra.transparency.merkle import TreeHasher, leaf_hash
from timbra.transparency.notes import SIGNATURE, NoteKey, SignedNote, parse_note

PLACE, NOTES, NODES = AUDIT_LEAF.name, AUDIT_CHECKPOINT.name, AUDIT_NODE.name
L, N, E, S, K = AUDIT_LEAF.c, AUDIT_NODE.c, EVENT.c, STAMP.c, AUDIT_LINK.c
BUCKETS_AT_ONCE = 64
TILE_LEVELS = 8
REMOVED: Final = ("sandbox.reset", "sandbox.account-reset", "sandbox.restored")
"""Kinds of the audit log after which a sandbox does not have the stamps of all leaves."""
Key: TypeAlias = tuple[object, object, object]
"""Kind, folio and time of an event; `audit`, the sequence and 0 of a link; "document" and the folio of a stamp."""
Digested: TypeAlias = tuple[Key, object]
_OF_EVENT = (E.id, E.at, E.fiscal_at, E.account_id, E.kind, E.subject, E.request_id, E.body)


class LogContent:
    """Sees the stamps, and compares leaves with stamps, events and links."""

    def __init__(self, run: FsckRun) -> None:
        self._run = run
        with run.database.read() as connection:
            self._size = tree_size(connection)
            reset = select(AUDIT_EVENT.c.id).where(AUDIT_EVENT.c.kind.in_(REMOVED)).limit(1)
            self._is_compared = connection.execute(reset).first() is None
        number = buckets_for(2 * run.total(STAMP.name))
        self._rows, self._leaves = BucketSums(number), BucketSums(number)

    def see(self, stamp: ExaminedStamp) -> Iterable[FsckFinding]:
        """Add the document of a stamp to the sums."""
        if stamp.cfdi and not self._is_pruned(stamp.stamped_at):
            key = _document(stamp.uuid)
            self._rows.add(key, (key, sha256(stamp.cfdi).digest()))
        return ()

    def finish(self) -> Iterator[FsckFinding]:
        """Read the leaves and what they are of, and compare."""
        yield from self._checkpoint_findings()
        if not self._is_compared:
            return
        for key, digest in self._events_and_links(None):
            self._rows.add(key, (key, digest))
        differing = self._rows.differing(self._leaves)
        while part := frozenset(islice(differing, BUCKETS_AT_ONCE)):
            yield from self._compare(part)

    def _checkpoint_findings(self) -> Iterator[FsckFinding]:
        """Compare the checkpoints with the tree that the leaves make."""
        notes = []
        for finding, note in self._checkpoints():
            if note is None:
                yield finding
            else:
                notes.append(note)
        roots = dict.fromkeys((note.checkpoint.size for note in notes), b"")
        yield from self._tree(roots)
        for note in notes:
            size, root = note.checkpoint.size, note.checkpoint.root
            if roots[size] != root:
                values = (root.hex(), roots[size].hex())
                yield FsckFinding("log-differs", NOTES, shown(size), "note", *values, Cure.DECIDE)

    def _tree(self, roots: dict[int, bytes]) -> Iterator[FsckFinding]:
        """Read the leaves once, compare the nodes, and fill in the roots of some sizes."""
        hasher = TreeHasher()
        for row in self._run.reader(PLACE).rows(tuple(L), (L.position,), L.position < self._size):
            if isinstance(row, Unreadable):
                yield from unreadable(row, PLACE)
                return
            leaf = _leaf(row)
            if leaf is None or row.position != hasher.size:
                break
            for key, digest in self._of_leaf(leaf):
                self._leaves.add(key, (key, digest))
            for level, place, found in hasher.add(leaf_hash(leaf.content())):
                if level % TILE_LEVELS == 0:
                    yield from self._node(level // TILE_LEVELS, place, found)
            if hasher.size in roots:
                roots[hasher.size] = hasher.root()
        if hasher.size < self._size:
            yield FsckFinding("log-differs", PLACE, shown(hasher.size), cure=Cure.RESTORE)

    def _node(self, level: int, place: int, found: bytes) -> Iterator[FsckFinding]:
        query = select(N.hash).where(N.level == level, N.position == place)
        with self._run.database.read() as connection:
            stored = connection.execute(query).scalar()
        if stored != found:
            values = (shown(stored), shown(found))
            yield FsckFinding("log-differs", NODES, f"{level} {place}", "hash", *values, Cure.RESTORE)

    def _checkpoints(self) -> Iterator[tuple[FsckFinding, SignedNote | None]]:
        """Yield each checkpoint of the database and of the data folder; None for one that the log did not sign."""
        with self._run.database.read() as connection:
            texts = [(NOTES, *row) for row in connection.execute(select(*AUDIT_CHECKPOINT.c).order_by("size"))]
            keys = self._public_keys(connection)
        file = self._run.container.get(data_folder) / FILE
        if file.exists():
            texts.append((FILE, None, file.read_text(errors="replace")))
        for place, size, text in texts:
            note = _signed(text, keys)
            is_sound = note is not None and size in (None, note.checkpoint.size)
            finding = FsckFinding("log-differs", place, shown(size or ""), "note", shown(text), cure=Cure.DECIDE)
            yield finding, note if is_sound else None

    def _public_keys(self, connection: Connection) -> Sequence[bytes] | None:
        """Return the keys that sign; None when one cannot be decrypted, which another check names."""
        try:
            return list(self._run.container.get(audit_keys).public_keys(connection).values())
        except ServiceError as error:
            if error.code == "CO1000":
                raise
            return None

    def _of_leaf(self, leaf: Leaf) -> Iterator[Digested]:
        if leaf.kind == AUDIT:
            yield (AUDIT, leaf.sequence, 0), leaf.sha256
            return
        at = to_microseconds(leaf.at)
        if self._is_pruned(at):
            return
        yield (leaf.kind, leaf.subject, at), b"" if leaf.kind == STAMPED else leaf.sha256
        if leaf.kind == STAMPED:
            yield _document(leaf.subject), leaf.sha256

    def _events_and_links(self, within: Connection | None) -> Iterator[Digested]:
        reader = TableReader(self._run.database)
        for row in reader.rows(_OF_EVENT, (E.id,), CONDITION, E.id <= self._run.bounds.event, within=within):
            if not isinstance(row, Unreadable) and not self._is_pruned(row.at):
                yield (row.kind, row.subject, row.at), b"" if row.kind == STAMPED else _event_digest(row)
        for row in reader.rows((K.sequence, K.hash), (K.sequence,), within=within):
            if not isinstance(row, Unreadable):
                yield (AUDIT, row.sequence, 0), row.hash

    def _documents(self, within: Connection) -> Iterator[Digested]:
        reader = TableReader(self._run.database)
        for row in reader.rows((S.cursor, S.uuid, S.stamped_at, S.cfdi), (S.cursor,), within=within):
            if not isinstance(row, Unreadable) and not self._is_pruned(row.stamped_at):
                try:
                    yield _document(row.uuid), sha256(self._run.database.document(row.cfdi)).digest()
                except (ValueError, TypeError):
                    continue  # another check names the damaged document

    def _compare(self, buckets: frozenset[int]) -> Iterator[FsckFinding]:
        """Read the rows and leaves of some buckets at one instant, and yield how they differ."""
        with self._run.database.read() as connection, without_statement_timeout(connection):
            read_one_instant(connection)
            newest_link = last_logged_link(connection)
            rows = self._within(buckets, self._events_and_links(connection))
            documents = self._within(buckets, self._documents(connection))
            stored = TableReader(self._run.database).rows(tuple(L), (L.position,), within=connection)
            found = (leaf for row in stored if not isinstance(row, Unreadable) and (leaf := _leaf(row)) is not None)
            leaves = self._within(buckets, (each for leaf in found for each in self._of_leaf(leaf)))
            consumer = log_consumer(self._run.database)
            query = select(E.kind, E.subject, E.at).where(or_(unread(connection, consumer), set_apart(consumer)))
            waiting = {(kind, uuid, to_microseconds(at)) for kind, uuid, at in connection.execute(query)}
        for key in sorted(rows.keys() | leaves.keys() | documents.keys(), key=str):
            mine, others = sorted(rows.get(key, []), key=str), sorted(leaves.get(key, []), key=str)
            if key[0] == "document":
                mine = documents.get(key, [])
                is_expected = not mine or not others
            else:
                is_expected = key in waiting or (key[0] == AUDIT and not others and _number(key[1]) > newest_link)
            if mine != others and not is_expected:
                yield _difference(key, mine, others)

    def _within(self, buckets: frozenset[int], digested: Iterable[Digested]) -> Mapping[Key, list[object]]:
        found: dict[Key, list[object]] = defaultdict(list)
        for key, digest in digested:
            if self._rows.bucket_of(key) in buckets:
                found[key].append(digest)
        return found

    def _is_pruned(self, at: object) -> bool:
        """Whether an instant is of a month of which rows were pruned; their leaves stay."""
        last = self._run.bounds.pruned
        if not last or not isinstance(at, int):
            return False
        return from_microseconds(at).astimezone(CENTRAL_MEXICO).date().isoformat() <= last


def _difference(key: Key, rows: Sequence[object], leaves: Sequence[object]) -> FsckFinding:
    kind, subject, _ = key
    place = STAMP.name if kind == "document" else AUDIT_LINK.name if kind == AUDIT else EVENT.name
    if len(leaves) < len(rows):
        return FsckFinding("leaf-missing", place, shown(subject), stored=shown(kind))
    if len(rows) < len(leaves):
        return FsckFinding("leaf-underived", PLACE, shown(subject), "kind", shown(kind), cure=Cure.RESTORE)
    column = "cfdi" if kind == "document" else "hash" if kind == AUDIT else "body"
    return FsckFinding("leaf-differs", place, shown(subject), column, shown(rows[0]), shown(leaves[0]), Cure.RESTORE)


def _document(uuid: object) -> Key:
    return "document", uuid, 0


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _leaf(row: Row[Any]) -> Leaf | None:
    """Return the leaf of a raw row; None for values that no program writes."""
    values = (row.kind, row.subject, row.sequence, row.at, row.sha256)
    if tuple(map(type, values)) != (str, str, int, int, bytes):
        return None
    try:
        return Leaf(row.kind, row.subject, row.sequence, from_microseconds(row.at), row.sha256)
    except (OverflowError, ValueError):
        return None


def _event_digest(row: Row[Any]) -> object:
    try:
        return event_digest(row.fiscal_at, row.account_id, row.request_id, orjson.loads(row.body))
    except (TypeError, ValueError):
        return None


def _signed(text: object, keys: Sequence[bytes] | None) -> SignedNote | None:
    """Return a checkpoint that one of the keys signed; None for another text."""
    try:
        note = parse_note(str(text))
    except ServiceError:
        return None
    origin = note.checkpoint.origin
    is_signed = keys is None or any(note.is_signed_by(NoteKey(origin, SIGNATURE, key)) for key in keys)
    return note if is_signed else None


CHECKS = (FsckCheck("transparency log", observers=lambda run: (LogContent(run),)),)
