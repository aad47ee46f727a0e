"""Single values of the simulated authority by name, and the one way to insert that both databases understand."""

from __future__ import annotations

from sqlalchemy import Connection, Table, cast, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.types import BigInteger, Text

from timbra.store.tables.sandbox import SANDBOX_STATE

Insert = postgresql.Insert | sqlite.Insert


def insert_into(connection: Connection, table: Table) -> Insert:
    """An insert that knows `on_conflict_do_nothing` and `on_conflict_do_update`."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)


def read_value(connection: Connection, name: str) -> str | None:
    return connection.execute(select(SANDBOX_STATE.c.value).where(SANDBOX_STATE.c.name == name)).scalar_one_or_none()


def write_value(connection: Connection, name: str, value: str) -> None:
    statement = insert_into(connection, SANDBOX_STATE).values(name=name, value=value)
    connection.execute(statement.on_conflict_do_update(index_elements=[SANDBOX_STATE.c.name], set_={"value": value}))


def keep_first(connection: Connection, name: str, value: str) -> str:
    """Writes `value` unless another process was first; what is stored now."""
    connection.execute(insert_into(connection, SANDBOX_STATE).values(name=name, value=value).on_conflict_do_nothing())
    kept: str = connection.execute(select(SANDBOX_STATE.c.value).where(SANDBOX_STATE.c.name == name)).scalar_one()
    return kept


def count_up(connection: Connection, name: str, start: int = 1) -> int:
    """The next number of a counter: `start` at first; two processes never get the same."""
    statement = insert_into(connection, SANDBOX_STATE).values(name=name, value=str(start))
    following = cast(cast(SANDBOX_STATE.c.value, BigInteger) + 1, Text)
    counted = statement.on_conflict_do_update(index_elements=[SANDBOX_STATE.c.name], set_={"value": following})
    return int(connection.execute(counted.returning(SANDBOX_STATE.c.value)).scalar_one())
