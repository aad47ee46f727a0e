"""Instants from the zone-less local times of documents."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache

FECHA = r"(20[1-9][0-9])-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T(([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])"
"""SAT's pattern of a date and time (t_FechaH)."""
_FECHA = re.compile(FECHA)

WINDOW = timedelta(hours=72)
"""How old a document may be when it is stamped."""
AHEAD = timedelta(minutes=5)
"""How far a clock may run ahead."""


def local_time(text: str) -> datetime | None:
    """The local time that a document writes, naive; None when it is no date or not in SAT's form."""
    if not _FECHA.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def local_date(text: str) -> date | None:
    """The date of a local time, None as for `local_time`."""
    found = local_time(text)
    return None if found is None else found.date()


def instants(text: str, zone: tzinfo) -> tuple[datetime, ...]:
    """The instants, in UTC, that a local time may mean: two in the hour that a change of the clock repeats."""
    local = local_time(text)
    if local is None:
        return ()
    return _both(local, zone)


@lru_cache(maxsize=1024)
def _both(local: datetime, zone: tzinfo) -> tuple[datetime, ...]:
    both = {local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)}
    return tuple(sorted(both))
