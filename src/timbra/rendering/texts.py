"""Formatting of numbers, dates, rates and taxes."""

from __future__ import annotations

import re
from decimal import Decimal

_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,6})?")
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:T([0-9]{2}:[0-9]{2}(?::[0-9]{2})?))?")
_TAXES = {"001": "ISR", "002": "IVA", "003": "IEPS"}


def number(text: str | None) -> Decimal | None:
    """Parse a number of a document; None for any other text."""
    return Decimal(text) if text and _NUMBER.fullmatch(text) else None


def amount(text: str | None) -> str:
    """Format a number with thousands separators and at least two decimals; return other text unchanged."""
    value = number(text)
    if value is None:
        return text or ""
    decimals = max(2, len((text or "").partition(".")[2]))
    return f"{value:,.{decimals}f}"


def date_text(text: str) -> str:
    """Format a date as `23/11/2026`, an instant as `23/11/2026 12:00:00`; return other text unchanged."""
    found = _DATE.fullmatch(text)
    if found is None:
        return text
    year, month, day, time = found.groups()
    return " ".join(filter(None, (f"{day}/{month}/{year}", time)))


def rate(factor: str | None, value: str | None) -> str:
    """Format TasaOCuota: `16 %` for a Tasa, the amount for a Cuota, `Exento` for an exempt tax."""
    share = number(value)
    if factor != "Tasa" or share is None:
        return " ".join(filter(None, (factor, value)))
    return f"{(share * 100).normalize():f} %"


def tax_name(key: str | None) -> str:
    """Return the name of a tax: IVA for 002; an unknown key unchanged."""
    return _TAXES.get(key or "", key or "")
