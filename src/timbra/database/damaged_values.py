"""Stored values that are not of the type of their column: replaced, counted and logged, where a row is read.

SQLite gives each value its type, and returns texts that are no UTF-8; PostgreSQL returns neither, but JSON as it is
stored. What stands for a damaged value sorts where the database sorts that value, so that pages have every row once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil
from typing import TYPE_CHECKING, Any, cast

import structlog
from sqlalchemy import Connection, Dialect
from sqlalchemy import types as sqltypes

if TYPE_CHECKING:
    import sqlite3

LOG = structlog.get_logger(__name__)
REPLACED = "\N{REPLACEMENT CHARACTER}"
"""In place of bytes that are no UTF-8."""
LARGEST = 2**63 - 1
MOST_EXACT = float(2**63 - 1024)
"""The largest fraction that is an integer of the database."""
DAMAGED = "value-damaged"
"""The code by which damaged values are counted among the errors of the server."""


class DamagedJson(dict[str, Any]):
    """In place of JSON that cannot be read: an empty object."""


class DamagedValues:
    """Told of each damaged value that was read.

    Attributes:
        count: Counts a value.
    """

    def __init__(self) -> None:
        self.count: Callable[[], None] = lambda: None
        self._logged: set[str] = set()

    def tell(self, kind: str) -> None:
        """Count a value, and log the first one of its kind of this process: a list may read it every second."""
        self.count()
        if kind not in self._logged:
            self._logged.add(kind)
            LOG.error("a stored value is damaged: timbra fsck names it", kind=kind)

    def text(self, stored: bytes) -> str:
        """Decode a text of SQLite."""
        try:
            return stored.decode()
        except UnicodeDecodeError:
            self.tell("text")
            return stored.decode(errors="replace")

    def json(self, stored: str | bytes) -> Any:
        """Read JSON."""
        try:
            return json.loads(stored)
        except (TypeError, ValueError):
            self.tell("json")
            return DamagedJson()


FOUND = DamagedValues()
"""Of this process."""


def read_text(stored: object) -> str:
    """Return a stored text, whatever type its value has."""
    if isinstance(stored, bytes):
        return stored.decode(errors="replace")
    return stored if isinstance(stored, str) else "" if stored is None else str(stored)


def read_number(stored: object) -> int:
    """Return a stored number; for another value one that sorts as SQLite sorts it.

    A fraction is rounded up, so that the rows after the result are those after the fraction.
    """
    if isinstance(stored, float):
        return ceil(min(max(stored, -MOST_EXACT), MOST_EXACT))
    return stored if isinstance(stored, int) else LARGEST


def read_bytes(stored: object) -> bytes:
    """Return stored bytes, whatever type their value has."""
    return stored if isinstance(stored, bytes) else read_text(stored).encode()


class _Reading:
    """Reads the values of a type from SQLite. NULL stays None, as in a column that allows it."""

    kind: str
    right: type
    read: Callable[[object], object]

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:  # noqa: ARG002
        kind, right, read = self.kind, self.right, type(self).read

        def process(stored: object) -> object:
            if type(stored) is right or stored is None:
                return stored
            FOUND.tell(kind)
            return read(stored)

        return process


class _Texts(_Reading):
    kind, right, read = "text", str, staticmethod(read_text)


class _Numbers(_Reading):
    kind, right, read = "number", int, staticmethod(read_number)


class _Bytes(_Reading):
    kind, right, read = "bytes", bytes, staticmethod(read_bytes)


class _String(_Texts, sqltypes.String):
    pass


class _Text(_Texts, sqltypes.Text):
    pass


class _Integer(_Numbers, sqltypes.Integer):
    pass


class _SmallInteger(_Numbers, sqltypes.SmallInteger):
    pass


class _BigInteger(_Numbers, sqltypes.BigInteger):
    pass


class _LargeBinary(_Bytes, sqltypes.LargeBinary):
    pass


class _Boolean(sqltypes.Boolean):
    def result_processor(self, dialect: Dialect, coltype: object) -> Any:  # noqa: ARG002
        def process(stored: object) -> bool | None:
            if stored is None or stored in (0, 1):
                return None if stored is None else bool(stored)
            FOUND.tell("number")
            return bool(stored)

        return process


READING = {
    sqltypes.String: _String,
    sqltypes.Text: _Text,
    sqltypes.Integer: _Integer,
    sqltypes.SmallInteger: _SmallInteger,
    sqltypes.BigInteger: _BigInteger,
    sqltypes.LargeBinary: _LargeBinary,
    sqltypes.Boolean: _Boolean,
}
"""The types of columns that read any value of SQLite."""


@contextmanager
def only_utf8(connection: Connection) -> Iterator[None]:
    """Let the driver raise its error for texts that are no UTF-8."""
    if connection.dialect.name != "sqlite":
        yield
        return
    driver = cast("sqlite3.Connection", connection.connection.dbapi_connection)
    before, driver.text_factory = driver.text_factory, str
    try:
        yield
    finally:
        driver.text_factory = before
