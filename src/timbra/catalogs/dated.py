"""Catalogs whose rows are valid between two dates."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from functools import lru_cache
from typing import NamedTuple

SINCE, UNTIL = "vigencia_desde", "vigencia_hasta"


class ValidityPeriod(NamedTuple):
    """The values of the columns after the key, valid from `since` to `until`, both included."""

    since: date
    until: date
    values: tuple[str, ...]


def read_rows(data: bytes) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Parse a table of the snapshot (UTF-8 CSV with a header) into columns and rows."""
    columns, *rows = map(tuple, csv.reader(io.StringIO(data.decode(), newline="")))
    return columns, rows


@lru_cache(maxsize=4096)
def parse_period(since: str, until: str) -> tuple[date, date]:
    """Parse the dates of a row; an empty text leaves that side open."""
    return (
        date.fromisoformat(since) if since else date.min,
        date.fromisoformat(until) if until else date.max,
    )


class DatedTable:
    """Keys with their validity periods; a key may have several.

    Equal periods are one object, so that a catalog whose rows share their dates costs little more than its keys.
    """

    __slots__ = ("_periods", "_rows", "columns")

    def __init__(self, columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
        """Index the rows by key.

        Args:
            rows: Texts in the order of the columns, the key first.

        Raises:
            ValueError: A row has another length.
        """
        self.columns = columns
        self._periods: dict[str, tuple[ValidityPeriod, ...]] = {}
        self._rows: dict[tuple[str, date, date], Mapping[str, str]] = {}
        shared: dict[tuple[str, ...], tuple[ValidityPeriod, ...]] = {}
        dates = [columns.index(name) - 1 if name in columns else None for name in (SINCE, UNTIL)]
        for key, *values in rows:
            periods = shared.get(tuple(values))
            if periods is None:
                periods = shared[tuple(values)] = (_to_period(values, dates, len(columns)),)
            self._periods[key] = self._periods[key] + periods if key in self._periods else periods

    def contains(self, key: str, on: date) -> bool:
        for since, until, _ in self._periods.get(key, ()):  # noqa: SIM110 (a generator doubles the time)
            if since <= on <= until:
                return True
        return False

    def row(self, key: str, on: date) -> Mapping[str, str] | None:
        for since, until, values in self._periods.get(key, ()):
            if since <= on <= until:
                row = self._rows.get((key, since, until))
                if row is None:
                    row = self._rows[key, since, until] = dict(zip(self.columns, (key, *values), strict=True))
                return row
        return None

    def keys(self) -> Iterator[str]:
        return iter(self._periods)

    def keys_with(self, column: str) -> frozenset[str]:
        if column not in self.columns[1:]:
            return frozenset()
        place = self.columns.index(column) - 1
        return frozenset(key for key, found in self._periods.items() if any(each.values[place] for each in found))


def _to_period(values: list[str], dates: list[int | None], width: int) -> ValidityPeriod:
    if len(values) != width - 1:
        raise ValueError(f"a row of {len(values) + 1} values in a table of {width} columns")
    since, until = ("" if index is None else values[index] for index in dates)
    return ValidityPeriod(*parse_period(since, until), tuple(values))
