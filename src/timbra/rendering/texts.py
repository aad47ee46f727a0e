"""Numbers and rates as people read them."""

from __future__ import annotations

import re
from decimal import Decimal

_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,6})?")
_TAXES = {"001": "ISR", "002": "IVA", "003": "IEPS"}


def number(text: str | None) -> Decimal | None:
    """The number that a document writes; None for anything else, however long."""
    return Decimal(text) if text and _NUMBER.fullmatch(text) else None


def amount(text: str | None) -> str:
    """A number with its thousands apart and at least two decimals; what is no number stays as it is."""
    value = number(text)
    if value is None:
        return text or ""
    decimals = max(2, len((text or "").partition(".")[2]))
    return f"{value:,.{decimals}f}"


def rate(factor: str | None, value: str | None) -> str:
    """`16 %` for a Tasa, the quota itself for a Cuota, `Exento` where nothing is charged."""
    share = number(value)
    if factor != "Tasa" or share is None:
        return " ".join(filter(None, (factor, value)))
    return f"{(share * 100).normalize():f} %"


def tax_name(key: str | None) -> str:
    """IVA for 002; an unknown key as it is."""
    return _TAXES.get(key or "", key or "")
