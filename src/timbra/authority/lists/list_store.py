"""The folder of the lists: packed files, and `current.json`, which names those in force and is replaced at once."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import date, datetime
from pathlib import Path
from typing import IO, Any

from timbra.authority.lists.sources.part_names import ListKind
from timbra.errors import ServiceError

CURRENT = "current.json"
PREVIOUS = "previous.json"
_LOCK = "lock"
_WORKSHOP = "making-"
_FORMAT = "lists-1"


@dataclass(frozen=True, slots=True)
class ListEdition:
    """One list as it was imported.

    dated: the day of the list. file, names: packed rows and set of names, in the folder; names is empty when the list
    carries none. fields: columns of l_RFC. rows: RFC; certificates: of the LCO; skipped, unusual: see the readers.
    signers: numbers of the certificates that signed; signed_at: as the first signer claims. parts: SHA-256 by name.
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


Editions = dict[ListKind, ListEdition]


class ListStore:
    """The folder. Reading needs no lock: what `current.json` names exists until its list was changed twice more."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._current = str(folder / CURRENT)

    def stamp(self) -> tuple[int, int, int]:
        """Changes whenever other lists come into force; zeros while there is none."""
        try:
            found = os.stat(self._current)
        except FileNotFoundError:
            return (0, 0, 0)
        return (found.st_mtime_ns, found.st_ino, found.st_size)

    def editions(self, name: str = CURRENT) -> Editions:
        """The lists in force. ServiceError("list-damaged") when the file that names them cannot be understood."""
        try:
            told = json.loads((self.folder / name).read_bytes())
            return {ListKind(kind): _edition(ListKind(kind), row) for kind, row in told[_FORMAT].items()}
        except FileNotFoundError:
            return {}
        except (ValueError, KeyError, TypeError, AttributeError) as cause:
            raise ServiceError("list-damaged", f"El archivo {name} no se entiende.") from cause

    @contextmanager
    def changing(self) -> Iterator[Path]:
        """A folder to make new files in, for one process at a time. ServiceError("list-busy") for the others.

        What failed leaves nothing behind; what a crash left is removed by the next change.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self.folder / _LOCK).open("w") as lock:
            if not _locked(lock):
                raise ServiceError("list-busy")
            for left in self.folder.glob(f"{_WORKSHOP}*"):
                shutil.rmtree(left)
            with tempfile.TemporaryDirectory(prefix=_WORKSHOP, dir=self.folder) as workshop:
                yield Path(workshop)

    def publish(self, edition: ListEdition, made: Mapping[str, Path]) -> None:
        """Moves the files made into the folder and brings the edition into force, together; only while changing.

        The edition before it stays, named by `previous.json`; older files go. A record that is damaged is replaced.
        """
        current, previous = self._legible(CURRENT), self._legible(PREVIOUS)
        for name, path in made.items():
            path.replace(self.folder / name)
        _sync(self.folder)
        replaced = {edition.kind: current[edition.kind]} if edition.kind in current else {}
        self._write(PREVIOUS, {**previous, **replaced})
        self._write(CURRENT, {**current, edition.kind: edition})
        self._remove_older()

    def _legible(self, name: str) -> Editions:
        try:
            return self.editions(name)
        except ServiceError:
            return {}

    def _write(self, name: str, editions: Editions) -> None:
        rows = {kind: _told(edition) for kind, edition in editions.items()}
        path = self.folder / f"{name}.new"
        with path.open("w") as file:
            json.dump({_FORMAT: rows}, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        path.replace(self.folder / name)
        _sync(self.folder)

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


def _told(edition: ListEdition) -> dict[str, Any]:
    row = asdict(edition)
    del row["kind"]
    for name in ("dated", "signed_at", "imported_at"):
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
        },
    )


if sys.platform == "win32":

    def _locked(file: IO[str]) -> bool:
        return not file.closed

    def _sync(_folder: Path) -> None:
        return

else:
    import fcntl

    def _locked(file: IO[str]) -> bool:
        """Whether the lock is ours until the file is closed."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _sync(folder: Path) -> None:
        """What was renamed in the folder survives a power cut."""
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
