"""The triggers that empty the digest of a row which a statement changes or deletes."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Column, Connection, LargeBinary, Table, delete, text

from timbra.database.tables.digests import DIGESTS_PER_ROW, ROW_DIGEST

VERSION = 1
"""Part of the names of the triggers: with another number they are created again."""
SEPARATOR = "\x1f"
"""Between the parts of a key."""
_EXISTING = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid "
    "WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace",
}


def existing_triggers(connection: Connection) -> set[str]:
    """Return the names of the triggers of the database."""
    return {str(row[0]) for row in connection.execute(text(_EXISTING[connection.dialect.name]))}


def names_of(table: Table, number: str | None) -> list[str]:
    """Return the names of the triggers of a table. `number`: its growing number; None for digests by key."""
    operations = ("UPDATE", "DELETE") if number else ("INSERT", "UPDATE", "DELETE")
    return [_name(table, operation) for operation in operations]


def create_triggers(connection: Connection, table: Table, number: str | None) -> None:
    """Create the triggers of a table, and remove its digests: they may be of rows that changed without a trigger.

    Args:
        number: As for `names_of`.
    """
    connection.execute(delete(ROW_DIGEST).where(ROW_DIGEST.c.place == table.name))
    if number is not None:
        _create(
            connection,
            table,
            "UPDATE",
            (_mark(connection, table, number, "OLD"), _mark(connection, table, number, "NEW")),
        )
        _create(connection, table, "DELETE", (_mark(connection, table, number, "OLD"),))
        return
    old, new = _delete(connection, table, "OLD"), _delete(connection, table, "NEW")
    insert = (
        "INSERT INTO row_digest (place, number, key, digests) "  # noqa: S608
        f"VALUES ('{table.name}', 0, {key_expression(connection, table, 'NEW')}, {_empty(connection)})"
    )
    # A row that is replaced is deleted without its trigger.
    _create(connection, table, "INSERT", (new, insert))
    _create(connection, table, "UPDATE", (old, new, insert))
    _create(connection, table, "DELETE", (old,))


def key_expression(connection: Connection, table: Table, row: str) -> str:
    """Return the SQL of the key of a row as text."""
    parts = (_part(connection, column, row) for column in table.primary_key)
    return f" || '{SEPARATOR}' || ".join(parts)


def _part(connection: Connection, column: Column[object], row: str) -> str:
    name = f"{row}.{connection.dialect.identifier_preparer.format_column(column)}"
    if not isinstance(column.type, LargeBinary):
        return f"CAST({name} AS TEXT)"
    return f"encode({name}, 'hex')" if connection.dialect.name == "postgresql" else f"lower(hex({name}))"


def _mark(connection: Connection, table: Table, number: str, row: str) -> str:
    return (
        f"UPDATE row_digest SET digests = {_empty(connection)} WHERE place = '{table.name}' "  # noqa: S608
        f"AND number = {row}.{number} / {DIGESTS_PER_ROW} AND key = ''"
    )


def _delete(connection: Connection, table: Table, row: str) -> str:
    key = key_expression(connection, table, row)
    return f"DELETE FROM row_digest WHERE place = '{table.name}' AND number = 0 AND key = {key}"  # noqa: S608


def _create(connection: Connection, table: Table, operation: str, statements: Sequence[str]) -> None:
    name, body = _name(table, operation), "; ".join(statements)
    place = connection.dialect.identifier_preparer.format_table(table)
    if connection.dialect.name != "postgresql":
        connection.exec_driver_sql(
            f"CREATE TRIGGER IF NOT EXISTS {name} AFTER {operation} ON {place} BEGIN {body}; END"
        )
        return
    connection.exec_driver_sql(
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body}; RETURN NULL; END $$"
    )
    connection.exec_driver_sql(
        f"CREATE OR REPLACE TRIGGER {name} AFTER {operation} ON {place} FOR EACH ROW EXECUTE FUNCTION {name}()"
    )


def _name(table: Table, operation: str) -> str:
    return f"{table.name}_digest_{operation.lower()}_{VERSION}"


def _empty(connection: Connection) -> str:
    return "''::bytea" if connection.dialect.name == "postgresql" else "x''"
