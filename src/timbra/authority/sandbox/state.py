"""Single values of the simulated authority, by name."""

from __future__ import annotations

from sqlalchemy import Connection, cast, select
from sqlalchemy.types import BigInteger, Text

from timbra.store.database import Database
from timbra.store.tables.sandbox import SANDBOX_STATE


def read_value(connection: Connection, name: str) -> str | None:
    value: str | None = connection.execute(
        select(SANDBOX_STATE.c.value).where(SANDBOX_STATE.c.name == name)
    ).scalar_one_or_none()
    return value


def write_value(database: Database, connection: Connection, name: str, value: str) -> None:
    statement = database.insert(SANDBOX_STATE).values(name=name, value=value)
    connection.execute(statement.on_conflict_do_update(index_elements=[SANDBOX_STATE.c.name], set_={"value": value}))


def write_first(database: Database, connection: Connection, name: str, value: str) -> bool:
    """Writes `value` unless there is one already; whether it was written."""
    statement = database.insert(SANDBOX_STATE).values(name=name, value=value).on_conflict_do_nothing()
    return connection.execute(statement.returning(SANDBOX_STATE.c.name)).first() is not None


def count_up(database: Database, connection: Connection, name: str, start: int = 1) -> int:
    """The next number of a counter: `start` at first; two processes never get the same."""
    statement = database.insert(SANDBOX_STATE).values(name=name, value=str(start))
    following = cast(cast(SANDBOX_STATE.c.value, BigInteger) + 1, Text)
    counted = statement.on_conflict_do_update(index_elements=[SANDBOX_STATE.c.name], set_={"value": following})
    return int(connection.execute(counted.returning(SANDBOX_STATE.c.value)).scalar_one())
