"""A connection of SQLite of which every statement, also of a commit and a rollback, goes through one method."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any
from weakref import WeakSet


class ObservedConnection(sqlite3.Connection):
    """A connection whose statements are run by `run`, which a subclass overrides."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._cursors = WeakSet[ObservedCursor]()

    def close(self) -> None:
        """Close the connection and its cursors: one that is referenced would keep the transaction open."""
        for cursor in self._cursors:
            sqlite3.Cursor.close(cursor)
        super().close()

    def run(self, _sql: str, call: Callable[[], Any]) -> Any:
        """Run a statement."""
        return call()

    @property
    def is_open(self) -> bool:
        return True

    def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
        return self.cursor().execute(sql, *parameters)

    def executemany(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
        return self.cursor().executemany(sql, *parameters)

    def cursor(self, *_: Any, **__: Any) -> ObservedCursor:  # type: ignore[override]
        made = ObservedCursor(self)
        self._cursors.add(made)
        return made

    def commit(self) -> None:
        if self.is_open and self.in_transaction:
            self.execute("COMMIT")

    def rollback(self) -> None:
        if self.is_open and self.in_transaction:
            self.execute("ROLLBACK")


class ObservedCursor(sqlite3.Cursor):
    """A cursor of such a connection."""

    connection: ObservedConnection

    def execute(self, sql: str, *parameters: Any) -> ObservedCursor:
        self.connection.run(sql, lambda: super(ObservedCursor, self).execute(sql, *parameters))
        return self

    def executemany(self, sql: str, *parameters: Any) -> ObservedCursor:
        self.connection.run(sql, lambda: super(ObservedCursor, self).executemany(sql, *parameters))
        return self
