"""Texts of errors, kinds of documents, instants and durations, and the date fields of search forms."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from timbra.core.clock import to_central_mexico
from timbra.core.errors import ServiceError
from timbra.rules.reference.messages import MESSAGES, full_message, sentence
from timbra.stamps.port import RETENCION
from timbra.web.public_errors import to_public_error

KINDS = {
    "I": "Ingreso",
    "E": "Egreso",
    "T": "Traslado",
    "N": "Nómina",
    "P": "Pago",
    RETENCION: "Retención",
}
MONTHS = ("ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic")
ISO_DAY_LENGTH = 10
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def error_message(code: str) -> str:
    """Return the Spanish sentence of an error code; codes of the public API, but for those of access, are part of it.

    The sentence of a code that is internal or has none is that of CO1000.
    """
    code = to_public_error(ServiceError(code)).code
    if code in MESSAGES and code.islower():
        return sentence(code)
    return full_message(code).removeprefix(f"{code} - " if code.startswith("AU") else "")


def document_kind(kind: str) -> str:
    """Return the name of TipoDeComprobante, or of a retención; an unknown kind unchanged."""
    return KINDS.get(kind, kind)


def local(instant: datetime, *, seconds: bool = False) -> str:
    """Format an instant in the time of central Mexico: `17 nov 2026, 12:00`, with `seconds` for logs."""
    text = to_central_mexico(instant)
    return f"{spanish_day(date.fromisoformat(text[:10]))}, {text[11:] if seconds else text[11:16]}"


def local_day(instant: datetime) -> str:
    """Format the day of an instant in central Mexico: `17 nov 2026`."""
    return spanish_day(date.fromisoformat(to_central_mexico(instant)[:10]))


def spanish_day(day: date) -> str:
    """Format a day: `17 nov 2026`."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def iso_to_spanish(text: str, *, seconds: bool = False) -> str:
    """Format a date or an instant without a zone, as documents write it; return other text unchanged."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    day = spanish_day(moment.date())
    return f"{day}, {moment:{'%H:%M:%S' if seconds else '%H:%M'}}" if len(text) > ISO_DAY_LENGTH else day


def format_duration(duration: timedelta, max_units: int = 2) -> str:
    """Format a duration by its largest units, such as `3 d 4 h`, `-2 min` or `0 s`.

    Args:
        duration: May be negative.
        max_units: Maximum number of units.
    """
    seconds = int(abs(duration).total_seconds())
    parts = []
    for size, name in _UNITS:
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {name}")
    sign = "-" if duration < timedelta() else ""
    return sign + " ".join(parts[:max_units]) if parts else "0 s"
