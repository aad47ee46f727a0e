"""The column type of instants."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects import sqlite

from timbra.database.tables.column_types import Instant, from_microseconds, to_microseconds

ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
INSTANTS = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=ZONES)  # noqa: DTZ001


@given(INSTANTS)
def test_instant_is_read_back_in_utc(instant: datetime) -> None:
    back = from_microseconds(to_microseconds(instant))
    assert back == instant
    assert back.tzinfo is UTC


@given(INSTANTS, INSTANTS)
def test_instant_order_is_the_order_of_its_numbers(one: datetime, other: datetime) -> None:
    assert (one < other) == (to_microseconds(one) < to_microseconds(other))


def test_instant_rejects_a_naive_datetime() -> None:
    with pytest.raises(ValueError, match="aware"):
        to_microseconds(datetime(2026, 1, 1))  # noqa: DTZ001


def test_instant_keeps_none() -> None:
    dialect = sqlite.dialect()
    assert Instant().process_bind_param(None, dialect) is None
    assert Instant().process_result_value(None, dialect) is None
