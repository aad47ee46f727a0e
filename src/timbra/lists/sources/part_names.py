"""File names of the parts of a list: the SAT divides the list of each day into numbered parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from pathlib import Path

from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError

MAX_DAYS_OF_RATES_AHEAD = 7
"""Exchange rates are published for the next banking day, which is days ahead before holidays."""


class ListKind(StrEnum):
    """The lists, by the prefix of the SAT's file names; 69-B and exchange rates have names of Timbra."""

    LCO = "LCO"
    LRFC = "l_RFC"
    LCNE = "L_CNE"
    ARTICLE_69B = "69-B"
    EXCHANGE_RATES = "tipos-de-cambio"


SIGNED_LISTS = (ListKind.LCO, ListKind.LRFC, ListKind.LCNE)
"""The lists that the SAT signs and publishes in parts, each day; the other lists are single files for everyone."""


_NAMES = {
    ListKind.LCO: re.compile(r"LCO[-_](\d{4})[-_](\d\d)[-_](\d\d)[-_](\d{1,3})\.xml(\.gz)?", re.IGNORECASE | re.ASCII),
    ListKind.LRFC: re.compile(
        r"l_?RFC[-_](\d{4})[-_](\d\d)[-_](\d\d)[-_](\d{1,3})\.txt(\.gz)?", re.IGNORECASE | re.ASCII
    ),
    ListKind.LCNE: re.compile(
        r"L_?CNE[-_](\d{4})[-_](\d\d)[-_](\d\d)[-_](\d{1,3})\.txt(\.gz)?", re.IGNORECASE | re.ASCII
    ),
    ListKind.ARTICLE_69B: re.compile(r"69-?B[-_](\d{4})-(\d\d)-(\d\d)[-_](\d{1,3})\.csv(\.gz)?", re.IGNORECASE),
    ListKind.EXCHANGE_RATES: re.compile(
        r"tipos-de-cambio[-_](\d{4})-(\d\d)-(\d\d)[-_](\d{1,3})\.(?:csv|json)(\.gz)?", re.IGNORECASE | re.ASCII
    ),
}
_CONTROL = re.compile(r"(LCO|l_?RFC|L_?CNE)[-_](\d{4})[-_](\d\d)[-_](\d\d)_control\.txt", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class PartName:
    """The components of a file name.

    Attributes:
        dated: The day of the list.
        number: The number of the part, from 1.
    """

    kind: ListKind
    dated: date
    number: int


def latest_day(kind: ListKind, now: datetime) -> date:
    """Return the latest day that a list may have: a list of a later day comes from a wrong clock."""
    today = now.astimezone(CENTRAL_MEXICO).date()
    return today + timedelta(days=MAX_DAYS_OF_RATES_AHEAD) if kind is ListKind.EXCHANGE_RATES else today


def part_name(name: str) -> PartName | None:
    """Parse a file name such as `LCO_2026-11-20_1.XML.gz` or `l_RFC_2026_11_20_1.txt.gz`; None for other names."""
    for kind, pattern in _NAMES.items():
        found = pattern.fullmatch(name)
        if found is not None:
            try:
                return PartName(kind, date(*map(int, found.groups()[:3])), int(found[4]))
            except ValueError:
                return None
    return None


def control_file_day(kind: ListKind, name: str) -> date | None:
    """Return the day of a control file such as `L_CNE_2026_11_20_control.txt`; None for another name or list."""
    found = _CONTROL.fullmatch(name)
    if found is None or found[1].upper().replace("_", "") != kind.upper().replace("_", ""):
        return None
    try:
        return date(*map(int, found.groups()[1:]))
    except ValueError:
        return None


def date_of_parts(kind: ListKind, paths: Sequence[Path]) -> date | None:
    """Return the day in the names of all parts of a list; None when no name has the SAT's form.

    Raises:
        ServiceError: "list-refused" when the names are of another list or of several days, or when a part is missing or
            occurs twice.
    """
    names = [part_name(path.name) for path in paths]
    named = [name for name in names if name is not None]
    if not named:
        return None
    days = {name.dated for name in named}
    if len(named) < len(names) or len(days) > 1 or any(name.kind is not kind for name in named):
        raise ServiceError("list-refused", f"Los archivos no son partes de una sola {kind}: {_file_names(paths)}.")
    if not complete(name.number for name in named):
        raise ServiceError("list-refused", f"Faltan partes de la {kind} o hay repetidas: {_file_names(paths)}.")
    return days.pop()


def complete(numbers: Iterable[int]) -> bool:
    """Whether the numbers are 1, 2 and so on, each once. The names do not show whether the last part is missing."""
    found = sorted(numbers)
    return found == list(range(1, len(found) + 1))


def _file_names(paths: Sequence[Path]) -> str:
    return ", ".join(sorted(path.name for path in paths))[:300]
