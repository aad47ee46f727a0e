"""What pages write of instants and spans."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from timbra.clock import CENTRAL_MEXICO, to_central_mexico
from timbra.errors import ServiceError
from timbra.messages import MESSAGES, full_message, sentence
from timbra.portal.visit import Visit

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def message(code: str) -> str:
    """What people read of a refusal: its code too, where it is one that the wire knows."""
    return sentence(code) if code in MESSAGES and code.islower() else full_message(code)


def local(instant: datetime) -> str:
    """`2026-11-17 12:00:00` in central Mexico."""
    return to_central_mexico(instant).replace("T", " ")


def local_day(instant: datetime) -> str:
    """`2026-11-17` in central Mexico."""
    return to_central_mexico(instant)[:10]


def length_words(length: timedelta, most: int = 2) -> str:
    """`3 d 4 h`, `-2 min`, `0 s`: the largest units that count, at most `most` of them."""
    seconds = int(abs(length).total_seconds())
    told = []
    for size, name in _UNITS:
        count, seconds = divmod(seconds, size)
        if count:
            told.append(f"{count} {name}")
    sign = "-" if length < timedelta() else ""
    return sign + " ".join(told[:most]) if told else "0 s"


def span(visit: Visit, since: str = "desde", until: str = "hasta") -> tuple[datetime | None, datetime | None]:
    """The days that a search form asks for, as instants in central Mexico, the end not included.

    ServiceError("TB4005") for what is no date.
    """
    first, last = _day(visit.query(since)), _day(visit.query(until))
    return _midnight(first), _midnight(last + timedelta(days=1)) if last is not None else None


def _day(text: str) -> date | None:
    try:
        day = date.fromisoformat(text) if text else None
    except ValueError as error:
        raise ServiceError("TB4005", "Las fechas se escriben como AAAA-MM-DD.") from error
    if day is not None and not 2000 <= day.year <= 2200:
        raise ServiceError("TB4005", "La fecha está fuera de lo posible.")
    return day


def _midnight(day: date | None) -> datetime | None:
    return None if day is None else datetime(day.year, day.month, day.day, tzinfo=CENTRAL_MEXICO)
