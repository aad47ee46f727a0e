"""The folder of the lists: packed files, and `current.json`, which names those in force and is replaced atomically."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from timbra.core.errors import ServiceError
from timbra.core.posix import sync_folder, try_lock
from timbra.lists.sources.part_names import ListKind

CURRENT = "current.json"
PREVIOUS = "previous.json"
_LOCK = "lock"
_IDENTIFIER = "identifier"
_DRAFT_PREFIX = "making-"
_FORMAT = "lists-1"


@dataclass(frozen=True, slots=True)
class ListEdition:
    """An imported list.

    Attributes:
        dated: The day of the list.
        file: The file of packed rows in the folder.
        names: The file of the set of names in the folder; empty when the list has no names.
        fields: The columns of l_RFC without the RFC.
        rows: The number of RFCs.
        certificates: The number of certificates of the LCO.
        skipped: The number of malformed rows.
        unusual: The number of certificates with another status than A, C and R.
        digest: The hash of the first signature.
        signers: The numbers of the certificates that signed.
        signed_at: The time that the first signer claims.
        imported_at: The wall instant of the import.
        parts: SHA-256 of each imported file by its name.
        added: Keys that the list before did not have; None for the first list.
        removed: Keys that only the list before had.
        changed: Keys with other columns than in the list before.
        published_at: When the source published the last file; None when that is not known.
    """

    kind: ListKind
    dated: date
    file: str
    names: str
    fields: tuple[str, ...]
    rows: int
    certificates: int
    skipped: int
    unusual: int
    digest: str
    signers: tuple[str, ...]
    signed_at: datetime | None
    imported_at: datetime
    parts: Mapping[str, str]
    added: int | None = None
    removed: int | None = None
    changed: int | None = None
    published_at: datetime | None = None


Editions = dict[ListKind, ListEdition]


class ListStore:
    """The folder of the lists. Readers need no lock: a file of `current.json` exists until two later imports."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._current = str(folder / CURRENT)

    def identifier(self) -> str:
        """Return the identifier of the folder, which nodes that share the folder have in common."""
        path = self.folder / _IDENTIFIER
        try:
            return path.read_text()
        except FileNotFoundError:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=self.folder, prefix=_DRAFT_PREFIX, delete=False) as file:
            file.write(uuid4().hex)
        try:
            os.link(file.name, path)
        except FileExistsError:
            pass
        finally:
            os.unlink(file.name)
        return path.read_text()

    def stamp(self) -> tuple[int, int, int]:
        """Return a value that changes whenever other lists come into force; zeros without lists."""
        try:
            found = os.stat(self._current)
        except FileNotFoundError:
            return (0, 0, 0)
        return (found.st_mtime_ns, found.st_ino, found.st_size)

    def editions(self, name: str = CURRENT) -> Editions:
        """Return the lists in force, or those of another record file.

        Raises:
            ServiceError: "list-damaged" when the file is invalid.
        """
        try:
            record = json.loads((self.folder / name).read_bytes())
            return {ListKind(kind): _edition(ListKind(kind), row) for kind, row in record[_FORMAT].items()}
        except FileNotFoundError:
            return {}
        except (ValueError, KeyError, TypeError, AttributeError) as cause:
            raise ServiceError("list-damaged", f"El archivo {name} no se entiende.") from cause

    @contextmanager
    def changing(self) -> Iterator[Path]:
        """Lock the folder and yield a temporary folder for new files, which is removed at the end of the block.

        The temporary folder of a crashed process is removed by the next call.

        Raises:
            ServiceError: "list-busy" while another process has the lock.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self.folder / _LOCK).open("w") as lock:
            if not try_lock(lock):
                raise ServiceError("list-busy")
            for left in self.folder.glob(f"{_DRAFT_PREFIX}*"):
                shutil.rmtree(left)
            with tempfile.TemporaryDirectory(prefix=_DRAFT_PREFIX, dir=self.folder) as draft:
                yield Path(draft)

    def publish(self, edition: ListEdition, files: Mapping[str, Path]) -> ListEdition | None:
        """Move the files into the folder and put the edition into force; only inside a `changing` block.

        The previous edition stays, named by `previous.json`; older files are removed. A damaged record is replaced.

        Args:
            edition: The new edition.
            files: The path of each new file by its name in the folder.

        Returns:
            The edition that is replaced.
        """
        current, previous = self._read_or_empty(CURRENT), self._read_or_empty(PREVIOUS)
        for name, path in files.items():
            path.replace(self.folder / name)
        sync_folder(self.folder)
        replaced = {edition.kind: current[edition.kind]} if edition.kind in current else {}
        self._write(PREVIOUS, {**previous, **replaced})
        self._write(CURRENT, {**current, edition.kind: edition})
        self._remove_older()
        return current.get(edition.kind)

    def _read_or_empty(self, name: str) -> Editions:
        try:
            return self.editions(name)
        except ServiceError:
            return {}

    def _write(self, name: str, editions: Editions) -> None:
        rows = {kind: _serialize(edition) for kind, edition in editions.items()}
        path = self.folder / f"{name}.new"
        with path.open("w") as file:
            json.dump({_FORMAT: rows}, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        path.replace(self.folder / name)
        sync_folder(self.folder)

    def _remove_older(self) -> None:
        kept = {
            name
            for editions in (self.editions(), self.editions(PREVIOUS))
            for edition in editions.values()
            for name in (edition.file, edition.names)
        }
        for path in (*self.folder.glob("*.list"), *self.folder.glob("*.names")):
            if path.name not in kept:
                path.unlink()


def _serialize(edition: ListEdition) -> dict[str, Any]:
    row = asdict(edition)
    del row["kind"]
    for name in ("dated", "signed_at", "imported_at", "published_at"):
        row[name] = None if row[name] is None else row[name].isoformat()
    return row


def _edition(kind: ListKind, row: Mapping[str, Any]) -> ListEdition:
    return ListEdition(
        kind=kind,
        **{
            **row,
            "dated": date.fromisoformat(row["dated"]),
            "fields": tuple(row["fields"]),
            "signers": tuple(row["signers"]),
            "signed_at": datetime.fromisoformat(row["signed_at"]) if row["signed_at"] else None,
            "imported_at": datetime.fromisoformat(row["imported_at"]),
            "published_at": datetime.fromisoformat(row["published_at"]) if row.get("published_at") else None,
        },
    )
