"""What a reconciliation compares."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from enum import StrEnum

ALL_TYPES = ("I", "E", "T", "N", "P", "R")
"""TipoDeComprobante, and R for retenciones."""

MAX_TOLERANCE = 1_000_000


class Side(StrEnum):
    """Which documents of the taxpayer are compared."""

    ISSUED = "issued"
    RECEIVED = "received"


@dataclass(frozen=True, slots=True)
class ReconciliationOptions:
    """What is compared.

    Attributes:
        rfc: The taxpayer.
        since: First day of the period; None for no bound.
        until: Last day of the period; None for no bound.
        tolerance: Largest difference of amounts that counts as equal.
        types: Types of documents that the ERP's export must have; the ledger has all.
        memory: Memory of the database in MiB; it writes to disk what exceeds it.
    """

    rfc: str
    side: Side
    since: date | None = None
    until: date | None = None
    tolerance: Decimal = Decimal("0.01")
    types: tuple[str, ...] = ("I", "E")
    memory: int = 1024


def tolerance_of(text: str) -> Decimal | None:
    """Return an amount that is written; None for one that is no tolerance."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value.quantize(Decimal("0.000001")) if value.is_finite() and 0 <= value <= MAX_TOLERANCE else None


def types_of(text: str) -> tuple[str, ...] | None:
    """Return the types whose letters are written, also with commas or blanks; None for other letters."""
    chosen = tuple(dict.fromkeys(text.upper().replace(",", "").replace(" ", "")))
    return chosen if set(chosen) <= set(ALL_TYPES) else None
