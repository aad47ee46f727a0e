"""Repository of single values: counters, the reading of the fiscal clock, the date of the published lists."""

from __future__ import annotations

from sqlalchemy import Connection, cast, select
from sqlalchemy.types import BigInteger, Text

from timbra.database.database import Database
from timbra.sandbox.store.tables import SANDBOX_STATE

STATE = SANDBOX_STATE.c


class KeyValueRepository:
    """Rows of `sandbox_state`, in the transaction of `connection`."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self._database = database
        self._connection = connection

    def get(self, name: str) -> str | None:
        """Return the value; None without one."""
        found: str | None = self._connection.execute(select(STATE.value).where(STATE.name == name)).scalar_one_or_none()
        return found

    def put(self, name: str, value: str) -> None:
        """Insert or replace the value."""
        statement = self._database.insert(SANDBOX_STATE).values(name=name, value=value)
        self._connection.execute(statement.on_conflict_do_update(index_elements=[STATE.name], set_={"value": value}))

    def put_if_absent(self, name: str, value: str) -> bool:
        """Insert the value unless one exists; return whether it was inserted."""
        statement = self._database.insert(SANDBOX_STATE).values(name=name, value=value).on_conflict_do_nothing()
        return self._connection.execute(statement.returning(STATE.name)).first() is not None

    def increment(self, name: str, start: int = 1) -> int:
        """Return the next number of a counter, `start` the first time. Two processes never get the same number."""
        statement = self._database.insert(SANDBOX_STATE).values(name=name, value=str(start))
        following = cast(cast(STATE.value, BigInteger) + 1, Text)
        counted = statement.on_conflict_do_update(index_elements=[STATE.name], set_={"value": following})
        return int(self._connection.execute(counted.returning(STATE.value)).scalar_one())
