"""A catalog whose rows are in force between two dates."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from datetime import date
from typing import NamedTuple

SINCE, UNTIL = "vigencia_desde", "vigencia_hasta"


class Period(NamedTuple):
    """What holds from `since` to `until`, both included: the values of the columns after the key."""

    since: date
    until: date
    values: tuple[str, ...]


def read_rows(data: bytes) -> tuple[tuple[str, ...], list[dict[str, str]]]:
    """Columns and rows of a table of the snapshot (UTF-8 CSV with a header)."""
    reader = csv.DictReader(io.StringIO(data.decode(), newline=""))
    rows = list(reader)
    return tuple(reader.fieldnames or ()), rows


def period_of(row: Mapping[str, str]) -> tuple[date, date]:
    """From when to when a row is in force; an absent or empty date leaves that side open."""
    since, until = row.get(SINCE), row.get(UNTIL)
    return (
        date.fromisoformat(since) if since else date.min,
        date.fromisoformat(until) if until else date.max,
    )


class DatedTable:
    """Keys with the periods in which they are in force; a key may have several.

    Equal periods are one object, so that a catalog whose rows share their dates costs little more than its keys.
    """

    __slots__ = ("_periods", "columns")

    def __init__(self, columns: tuple[str, ...], rows: Iterable[Mapping[str, str]]) -> None:
        """rows: columns to texts, the key in the first column."""
        self.columns = columns
        self._periods: dict[str, tuple[Period, ...]] = {}
        shared: dict[tuple[Period, ...], tuple[Period, ...]] = {}
        key_column, *others = columns
        for row in rows:
            period = Period(*period_of(row), tuple(row[column] for column in others))
            periods = (*self._periods.get(row[key_column], ()), period)
            self._periods[row[key_column]] = shared.setdefault(periods, periods)

    def contains(self, key: str, on: date) -> bool:
        for since, until, _ in self._periods.get(key, ()):  # noqa: SIM110 (a generator doubles the time)
            if since <= on <= until:
                return True
        return False

    def row(self, key: str, on: date) -> Mapping[str, str] | None:
        for since, until, values in self._periods.get(key, ()):
            if since <= on <= until:
                return dict(zip(self.columns, (key, *values), strict=True))
        return None
