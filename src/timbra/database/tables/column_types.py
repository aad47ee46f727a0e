"""Column types shared by every table, the same on SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import BigInteger, Integer
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
DAMAGED_INSTANTS = datetime(2, 1, 1, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)
"""Stand for stored values that are no instants, so that the rest of the row can be read; every time zone has them."""

# SQLite numbers rows automatically only in a column of exactly INTEGER.
AutoNumber = BigInteger().with_variant(Integer(), "sqlite")


def to_microseconds(instant: datetime) -> int:
    """Convert an aware instant to microseconds since 1970. Raises ValueError: The instant is naive."""
    if instant.tzinfo is None:
        raise ValueError("an instant must be aware")
    return (instant - EPOCH) // MICROSECOND


def from_microseconds(number: int) -> datetime:
    """Convert microseconds since 1970 to an aware instant in UTC."""
    return EPOCH + timedelta(microseconds=number)


def read_instant(stored: object) -> datetime:
    """Return a stored instant; for a damaged value the bound of `DAMAGED_INSTANTS` at which the database sorts it."""
    if not isinstance(stored, int):
        return DAMAGED_INSTANTS[1]  # SQLite sorts other types after numbers
    try:
        return min(max(from_microseconds(stored), DAMAGED_INSTANTS[0]), DAMAGED_INSTANTS[1])
    except OverflowError:
        return DAMAGED_INSTANTS[stored > 0]


class Instant(TypeDecorator[datetime]):
    """An aware datetime, stored as microseconds since 1970 in UTC: exact, ordered and equal on both databases.

    Migrations declare it as `BigInteger`.
    """

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:  # noqa: ARG002
        return None if value is None else to_microseconds(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        return None if value is None else read_instant(value)
