"""Bits of a data folder that are flipped one at a time: what the check names of each, and what is free space."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fsck.sqlite_pages import SqliteFile

from timbra.app.composition import open_container
from timbra.core.errors import ServiceError
from timbra.fsck.checking import check_all
from timbra.settings import Settings

DATABASE = "timbra.db"
Dump = Mapping[str, Mapping[Any, tuple[Any, ...]]]
"""Rows by table and key, with the types that SQLite has of each value."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A bit of a file.

    Attributes:
        file: Path below the folder.
    """

    file: str
    offset: int
    bit: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a flip.

    Attributes:
        is_free: Whether nothing in the file refers to the byte; then the check was not run.
        named: Places and columns that the check named; empty when it named none.
        changed: Tables and columns whose content is another one; None when it was not compared.
    """

    is_free: bool = False
    named: tuple[str, ...] = ()
    changed: tuple[str, ...] | None = None


class FlippedFolder:
    """A data folder whose bits are flipped and put back.

    Args:
        folder: The folder; no process uses it.
        settings: Further settings of the server.
    """

    def __init__(self, folder: Path, **settings: Any) -> None:
        self._folder = folder
        self._settings = settings
        with closing(sqlite3.connect(folder / DATABASE)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._files = {name: (folder / name).read_bytes() for name in self._names()}
        self._dump = dump(folder / DATABASE)
        self._pages = SqliteFile(self._files[DATABASE])

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(map(len, self._files.values()))

    @property
    def beside(self) -> Mapping[str, int]:
        """The files beside the database, with their sizes."""
        return {name: len(content) for name, content in self._files.items() if not name.startswith(DATABASE)}

    def draw(self, drawing: random.Random) -> Flip:
        """Draw a bit, each of all files with the same probability."""
        place = drawing.randrange(self.size)
        for name, content in self._files.items():
            if place < len(content):
                return Flip(name, place, drawing.randrange(8))
            place -= len(content)
        raise AssertionError("the place is outside of the files")

    def outcome(self, flip: Flip) -> Outcome:
        """Flip a bit, check the folder, compare the content when nothing was named, and put the folder back.

        Of a byte to which nothing refers only the content is compared, which is then equal.
        """
        content = bytearray(self._files[flip.file])
        content[flip.offset] ^= 1 << flip.bit
        (self._folder / flip.file).write_bytes(content)
        try:
            is_free = flip.file == DATABASE and self._pages.is_free(flip.offset, flip.bit)
            named = () if is_free else tuple(self._named())
            return Outcome(is_free, named, None if named else self._changed(flip))
        finally:
            self._put_back()

    def _named(self) -> Iterator[str]:
        settings = Settings(data=self._folder, **self._settings)
        try:
            with open_container(settings) as container:
                for each in check_all(container).findings:
                    yield f"{each.place}.{each.column} {each.code}"
        except ServiceError as error:
            # The database cannot be opened at all, or the folder is of no environment.
            yield f"{error.code} {error.detail}"

    def _changed(self, flip: Flip) -> tuple[str, ...]:
        if flip.file != DATABASE:
            return (flip.file,)
        with suppress(FileNotFoundError):
            os.remove(self._folder / f"{DATABASE}-wal")
        return tuple(differing(self._dump, dump(self._folder / DATABASE)))

    def _put_back(self) -> None:
        for name in self._names():
            if name not in self._files:
                (self._folder / name).unlink()
        for name, content in self._files.items():
            (self._folder / name).write_bytes(content)

    def _names(self) -> list[str]:
        return sorted(str(path.relative_to(self._folder)) for path in self._folder.rglob("*") if path.is_file())


def dump(database: Path) -> Dump:
    """Return every row of a database, with the schema, as SQLite reads it."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        connection.text_factory = bytes
        schema = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
        found: dict[str, dict[Any, tuple[Any, ...]]] = {"schema": {(row[0], row[1]): tuple(row) for row in schema}}
        for kind, name, _, _ in schema:
            if kind != b"table":
                continue
            table = name.decode()
            columns = connection.execute(f'PRAGMA table_xinfo("{table}")').fetchall()
            key = [index for index, column in enumerate(columns) if column[5]] or range(len(columns))
            rows = connection.execute(f'SELECT * FROM "{table}"').fetchall()
            found[table] = {tuple(row[index] for index in key): tuple(row) for row in rows}
            found[f"{table}:columns"] = {index: (column[1],) for index, column in enumerate(columns)}
    return found


def differing(before: Dump, after: Dump) -> Iterator[str]:
    """Yield the tables and columns whose content differs."""
    for table in before.keys() | after.keys():
        if ":" in table:
            continue
        old, new = before.get(table, {}), after.get(table, {})
        names = [column[0].decode() for column in before.get(f"{table}:columns", {}).values()]
        if old.keys() != new.keys():
            yield f"{table}.key"
        for key in old.keys() & new.keys():
            if (row := old[key]) != (other := new[key]) or list(map(type, row)) != list(map(type, other)):
                for place, (mine, others) in enumerate(zip(row, other, strict=False)):
                    if mine != others or type(mine) is not type(others):
                        yield f"{table}.{names[place] if place < len(names) else place}"
