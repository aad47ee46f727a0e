"""A report as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

Cell = str | int | float | bool | date | datetime | None
Row = Sequence[Cell]


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table.

    Attributes:
        name: The name in commands and addresses.
        title: Spanish title.
        columns: Spanish headings.
        rows: The rows, each with a cell for every column. Instants are aware.
    """

    name: str
    title: str
    columns: Sequence[str]
    rows: Iterable[Row]
