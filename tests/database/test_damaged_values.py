"""Stored values that are not of the type of their column: what is read in their place, and that it is told."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs
from tests.support.store_records import claim

from timbra.core.clock import WallClock
from timbra.database.damaged_values import FOUND, DamagedJson, only_utf8, read_number
from timbra.database.database import Database, open_database
from timbra.database.tables.column_types import DAMAGED_INSTANTS
from timbra.database.tables.stamps import EVENT, STAMP
from timbra.stamps.repository import DatabaseStamps

LARGEST = 9_223_372_036_854_775_807


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(f"sqlite:///{tmp_path}/timbra.db", "sandbox")
    yield database
    database.close()


def stored_event(database: Database, column: str, expression: str) -> object:
    """Return what is read of a column of an event whose value is an expression of SQL."""
    values = {"at": datetime.fromisoformat("2026-11-17T12:00:00Z"), "kind": "k", "subject": "s", "request_id": ""}
    with database.write() as connection:
        connection.execute(insert(EVENT).values({**values, "fiscal_at": values["at"], "body": {"a": 1}}))
        connection.execute(text(f"UPDATE event SET {column} = {expression}"))
    with database.read() as connection:
        return connection.execute(select(EVENT.c[column])).scalar_one()


@pytest.mark.parametrize(
    ("column", "expression", "expected"),
    [
        ("subject", "CAST(x'41ff' AS TEXT)", "A\ufffd"),
        ("subject", "x'4142'", "AB"),
        ("account_id", "'soon'", LARGEST),
        ("account_id", "1.5", 2),
        ("at", "'soon'", DAMAGED_INSTANTS[1]),
        ("body", "'{=}'", {}),
        ("body", "x'ff'", {}),
    ],
)
def test_damaged_value_is_replaced_counted_and_logged_once(
    database: Database, monkeypatch: pytest.MonkeyPatch, column: str, expression: str, expected: object
) -> None:
    counted: list[int] = []
    monkeypatch.setattr(FOUND, "count", lambda: counted.append(1))
    monkeypatch.setattr(FOUND, "_logged", set())
    with capture_logs() as lines:
        assert stored_event(database, column, expression) == expected
        with database.read() as connection:
            connection.execute(select(EVENT.c[column])).scalar_one()
    assert len(counted) == 2
    assert [line["log_level"] for line in lines] == ["error"]


def test_damaged_json_is_told_from_an_empty_object() -> None:
    assert isinstance(FOUND.json("{=}"), DamagedJson)
    assert type(FOUND.json("{}")) is dict


def test_only_utf8_lets_the_driver_raise(database: Database) -> None:
    stored_event(database, "subject", "CAST(x'41ff' AS TEXT)")
    with database.engine.connect() as connection:
        with only_utf8(connection), pytest.raises(OperationalError):
            connection.execute(select(EVENT.c.subject)).scalar_one()
        assert connection.execute(select(EVENT.c.subject)).scalar_one() == "A\ufffd"


@pytest.mark.parametrize(("value", "expected"), [(-1.5, -1), (5e-324, 1), (2.0, 2), (2.5, 3)])
def test_fraction_is_rounded_up(value: float, expected: int) -> None:
    assert read_number(value) == expected
    assert -LARGEST <= read_number(-math.inf) < read_number(math.inf) <= LARGEST


@pytest.mark.parametrize("cursor", ["'soon'", "x'ff'", "1.5", "NULL + 0.5"])
def test_stamps_are_stored_after_one_with_a_damaged_cursor(database: Database, cursor: str) -> None:
    stamps = DatabaseStamps(database, WallClock())
    stamps.claim([claim(1)])
    with database.write() as connection:
        connection.execute(text(f"UPDATE stamp SET cursor = coalesce({cursor}, 7.25)"))
    stamps.claim([claim(2)])
    stamps.claim([claim(3)])
    with database.read() as connection:
        cursors = connection.execute(select(STAMP.c.cursor).order_by(STAMP.c.stamped_at, STAMP.c.uuid)).scalars().all()
    assert len(set(cursors)) == 3
