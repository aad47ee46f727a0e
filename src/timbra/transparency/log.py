"""The transparency log: its checkpoints, proofs and tiles, and cosignatures of the checkpoints of other logs."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import structlog
from sqlalchemy import Connection, delete, insert, select

from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.database.tables.audit import AUDIT_CHECKPOINT, AUDIT_LEAF, AUDIT_WITNESS
from timbra.database.tables.stamps import STAMP
from timbra.events.exclusive import read_one_instant
from timbra.transparency.keys import AuditKeys
from timbra.transparency.leaves import LOCK, TILE, TileReader, leaf_of, leaves_between, tree_size
from timbra.transparency.merkle import consistency_proof, inclusion_proof, tree_root
from timbra.transparency.notes import (
    COSIGNATURE,
    SIGNATURE,
    Checkpoint,
    NoteKey,
    SignedNote,
    cosign,
    parse_note,
    sign,
)
from timbra.transparency.proofs import INVALID, ConsistencyProof, InclusionProof, parse_consistency

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.transparency")

FILE: Final = "log-checkpoint"
"""File of the data folder with the newest checkpoint: a database of before it does not continue the log."""
NOT_FOUND: Final = "TB4041"
SECONDS: Final = 2
"""After which a stamp is in a checkpoint, while the process for deliveries runs."""
_TILE_PATH = re.compile(r"((?:x[0-9]{3}/)*)([0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?")
_LEVEL = re.compile("[0-9]|[1-5][0-9]|6[0-3]")
C, L, W = AUDIT_CHECKPOINT.c, AUDIT_LEAF.c, AUDIT_WITNESS.c


class TransparencyLog:
    """The log of one database, and the checkpoints of other logs that this server cosigned.

    Attributes:
        is_public: Whether any client may read the log.
    """

    def __init__(
        self, database: Database, keys: AuditKeys, folder: Path, wall: Clock, *, origin: str, is_public: bool
    ) -> None:
        """Open the log of a database.

        Args:
            keys: The keys of the audit log, of which the newest one signs.
            folder: The data folder, for the file of the newest checkpoint.
            origin: Name of the log; empty for `timbra/` with the identifier of the key.
        """
        self._database = database
        self._keys = keys
        self._folder = folder
        self._wall = wall
        self._origin = origin
        self._is_told = False
        self.is_public = is_public

    def run(self) -> None:
        """Sign a checkpoint of the leaves that are new. For a job of one process of all nodes."""
        with self._database.read() as connection:
            read_one_instant(connection)
            size, newest = tree_size(connection), _newest(connection)
            if not size or (newest is not None and newest.checkpoint.size >= size):
                return
            reader = TileReader(connection)
            if self._contradiction(reader, size, newest):
                if not self._is_told:
                    log.error("checkpoint not signed", file=str(self._folder / FILE), size=size)
                self._is_told = True
                return
            self._is_told = False
            root = tree_root(reader.subtree, size)
        with self._database.write() as connection:
            self._database.bump(connection, LOCK)
            newest = _newest(connection)
            if newest is not None and newest.checkpoint.size >= size:
                return
            key_id, origin = self._signer(connection)
            checkpoint = Checkpoint(origin, size, root)
            line = sign(checkpoint.text(), origin, self._keys.private_key(key_id))
            note = SignedNote(checkpoint, checkpoint.text(), (line,))
            _store(connection, note)
        write_file(self._folder, note)

    def write_file(self) -> None:
        """Write the newest checkpoint into the data folder. For a job of each node."""
        with self._database.read() as connection:
            newest = _newest(connection)
        if newest is not None:
            write_file(self._folder, newest)

    def problem(self) -> str:
        """Return why no checkpoint is signed, in Spanish; empty when the data folder and the database agree."""
        known = read_file(self._folder)
        with self._database.read() as connection:
            read_one_instant(connection)
            size, newest = tree_size(connection), _newest(connection)
            if known is None or not self._contradiction(TileReader(connection), size, newest):
                return ""
        return (
            f"La base de datos no continúa el checkpoint de {known.checkpoint.size} hojas del archivo {FILE}: se "
            "perdieron o cambiaron hojas, y no se firman más checkpoints."
        )

    def newest(self) -> SignedNote:
        """Return the newest checkpoint. Raises ServiceError: "TB4041" before the first one."""
        with self._database.read() as connection:
            newest = _newest(connection)
        if newest is None:
            raise ServiceError(NOT_FOUND, "El registro de transparencia está vacío.")
        return newest

    def proof(self, uuid: str, kind: str, account_id: int | None = None) -> InclusionProof:
        """Return the proof of the newest leaf of a folio.

        Args:
            kind: The kind of the event, such as `stamped`.
            account_id: The account that must have the stamp; None for any.

        Raises:
            ServiceError: "TB4041" when the log has no such leaf, or no checkpoint of it yet.
        """
        query = select(AUDIT_LEAF).where(L.subject == uuid.lower(), L.kind == kind).order_by(L.position.desc())
        with self._database.read() as connection:
            read_one_instant(connection)
            row = connection.execute(query.limit(1)).one_or_none()
            owner = select(STAMP.c.account_id).where(STAMP.c.uuid == uuid.lower())
            if row is None or (account_id is not None and connection.execute(owner).scalar() != account_id):
                raise ServiceError(NOT_FOUND, f"El registro de transparencia no tiene {kind} de ese folio.")
            notes = [note for note in _notes(connection) if note.checkpoint.size > row.position]
            if not notes:
                raise ServiceError(NOT_FOUND, "El siguiente checkpoint tendrá la hoja.", retry_after=SECONDS)
            # That of witnesses, when they have cosigned one with the leaf.
            note = max(notes, key=lambda each: (len(each.signatures) > 1, each.checkpoint.size))
            hashes = inclusion_proof(TileReader(connection).subtree, row.position, note.checkpoint.size)
        return InclusionProof(leaf_of(row).content(), row.position, hashes, note)

    def tile(self, level: str, path: str) -> bytes:
        """Return a tile, or a bundle of entries for the level `entries`.

        Args:
            path: As C2SP tlog-tiles writes it: `x001/x234/067.p/5`.

        Raises:
            ServiceError: "TB4041" when the log does not have it.
        """
        match = _TILE_PATH.fullmatch(path)
        if match is None or not (level == "entries" or _LEVEL.fullmatch(level)):
            raise ServiceError(NOT_FOUND)
        place, width = int(match[1].replace("x", "").replace("/", "") + match[2]), int(match[3] or TILE)
        if tile_path(place) != match[1] + match[2] or width > TILE or (match[3] and width == TILE):
            raise ServiceError(NOT_FOUND)
        with self._database.read() as connection:
            if level == "entries":
                leaves = leaves_between(connection, place * TILE, place * TILE + width)
                parts = [len(content).to_bytes(2) + content for leaf in leaves for content in [leaf.content()]]
            else:
                parts = list(TileReader(connection).tile(int(level), place)[:width])
        if len(parts) != width:
            raise ServiceError(NOT_FOUND)
        return b"".join(parts)

    def consistency(self, old: SignedNote | None, new: SignedNote | None = None) -> ConsistencyProof:
        """Return the proof that a checkpoint continues another one.

        Args:
            old: None for the log without leaves.
            new: None for the newest.

        Raises:
            ServiceError: "proof-invalid" when one of them is not of this log.
        """
        note = new or self.newest()
        size, before = note.checkpoint.size, 0 if old is None else old.checkpoint.size
        with self._database.read() as connection:
            read_one_instant(connection)
            reader, leaves = TileReader(connection), tree_size(connection)
            for each in (note, *([old] if old else [])):
                found = each.checkpoint
                if found.size > leaves or tree_root(reader.subtree, found.size) != found.root:
                    raise ServiceError(INVALID, f"El registro no tiene el checkpoint de {found.size} hojas.")
            if before > size:
                raise ServiceError(INVALID, "El checkpoint nuevo es anterior al otro.")
            return ConsistencyProof(before, consistency_proof(reader.subtree, before, size), note)

    def add_cosignatures(self, note: SignedNote, witnesses: Sequence[NoteKey]) -> SignedNote:
        """Store a checkpoint of this log with the cosignatures of witnesses; proofs have it then.

        Raises:
            ServiceError: "proof-invalid" when it is not of this log, or a witness did not cosign it.
        """
        own, _ = self.keys
        self.consistency(note, note)
        if not all(note.is_signed_by(key) for key in (own, *witnesses)):
            raise ServiceError(INVALID, "Falta la firma del registro o de un testigo.")
        lines = [
            line for line in note.signatures if any(note.is_signed_by_line(line, key) for key in (own, *witnesses))
        ]
        with self._database.write() as connection:
            self._database.bump(connection, LOCK)
            known = [each for each in _notes(connection) if each.text == note.text]
            stored = (known[0] if known else SignedNote(note.checkpoint, note.text, ())).with_signatures(lines)
            _store(connection, stored)
        return stored

    def cosign(self, request: str, key: NoteKey | None = None) -> SignedNote:
        """Cosign the checkpoint of another log, when it continues the last one that this server cosigned.

        Args:
            request: The request of C2SP tlog-witness, which `consistency` makes.
            key: The key of the log; None for that of the last cosigned checkpoint.

        Raises:
            ServiceError: "log-unreadable"; "proof-invalid" when the log did not sign it, or it does not continue.
        """
        proof = parse_consistency(request)
        note, seconds = proof.note, int(self._wall.now().timestamp())
        found = note.checkpoint
        with self._database.write() as connection:
            self._database.bump(connection, LOCK)
            known = connection.execute(select(AUDIT_WITNESS).where(W.origin == found.origin)).one_or_none()
            of_log = str(key) if key is not None else known.key if known is not None else ""
            if not of_log or (known is not None and of_log != known.key):
                raise ServiceError(INVALID, f"La llave no es la de los checkpoints cofirmados de {found.origin}.")
            if NoteKey.parse(of_log).kind != SIGNATURE or not note.is_signed_by(NoteKey.parse(of_log)):
                raise ServiceError(INVALID, "El registro no firmó el checkpoint con esa llave.")
            if proof.old != (0 if known is None else known.size):
                raise ServiceError(INVALID, f"El último checkpoint cofirmado tiene {known.size if known else 0} hojas.")
            proof.check(b"" if known is None else known.root)
            values = {"key": of_log, "size": found.size, "root": found.root}
            row = self._database.insert(AUDIT_WITNESS).values(origin=found.origin, **values)
            connection.execute(row.on_conflict_do_update(index_elements=[W.origin], set_=values))
            key_id, name = self._signer(connection)
            line = cosign(note.text, name, self._keys.private_key(key_id), seconds)
        return note.with_signatures([line])

    @property
    def keys(self) -> tuple[NoteKey, NoteKey]:
        """The keys that verify checkpoints of this log, and cosignatures of this server."""
        with self._database.write() as connection:
            key_id, name = self._signer(connection)
        public = self._keys.private_key(key_id).public_key().public_bytes_raw()
        return NoteKey(name, SIGNATURE, public), NoteKey(name, COSIGNATURE, public)

    def _signer(self, connection: Connection) -> tuple[str, str]:
        """Return the identifier of the key that signs, and the name of the log."""
        key_id = self._keys.newest(connection)
        return key_id, self._origin or f"timbra/{key_id}"

    def _contradiction(self, reader: TileReader, size: int, newest: SignedNote | None) -> bool:
        """Whether the file has a checkpoint that the leaves do not continue."""
        known = read_file(self._folder)
        if known is None or (newest is not None and known.text == newest.text):
            return False
        found = known.checkpoint
        return found.size > size or tree_root(reader.subtree, found.size) != found.root


def tile_path(place: int) -> str:
    """Return the path of the place of a tile: `x001/x234/067`."""
    digits = f"{place:03}"
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    groups = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    return "/".join([*(f"x{group}" for group in groups[:-1]), groups[-1]])


def read_file(folder: Path) -> SignedNote | None:
    """Return the checkpoint of the file; None without a readable one."""
    try:
        return parse_note((folder / FILE).read_text())
    except (OSError, ValueError, ServiceError):
        return None


def write_file(folder: Path, note: SignedNote) -> None:
    """Replace the file, atomically; an older checkpoint does not replace a newer one of the same log."""
    known = read_file(folder)
    new = note.checkpoint
    if known is not None and known.checkpoint.origin == new.origin and known.checkpoint.size >= new.size:
        return
    descriptor, name = tempfile.mkstemp(prefix=".log-checkpoint", dir=folder)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(str(note))
        os.replace(name, folder / FILE)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _notes(connection: Connection) -> list[SignedNote]:
    """Return the stored checkpoints: the newest, and the newest one with cosignatures."""
    return [parse_note(note) for note in connection.execute(select(C.note).order_by(C.size.desc())).scalars()]


def _newest(connection: Connection) -> SignedNote | None:
    return next(iter(_notes(connection)), None)


def _store(connection: Connection, note: SignedNote) -> None:
    """Store a checkpoint; of the others stay the newest, and the newest one with cosignatures."""
    others = [each for each in _notes(connection) if each.checkpoint.size != note.checkpoint.size]
    notes = sorted([note, *others], key=lambda each: each.checkpoint.size, reverse=True)
    cosigned = [each for each in notes if len(each.signatures) > 1]
    kept = {each.checkpoint.size: str(each) for each in (*notes[:1], *cosigned[:1])}
    connection.execute(delete(AUDIT_CHECKPOINT))
    connection.execute(insert(AUDIT_CHECKPOINT), [{"size": size, "note": text} for size, text in kept.items()])
