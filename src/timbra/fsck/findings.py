"""What a check finds: a stored value that differs from what is derived from other stored values, and its cure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from sqlalchemy import Connection

MAX_SHOWN = 80
"""Characters of a value in a report."""

Repair: TypeAlias = Callable[[Connection], bool]
"""Writes a derived value inside a write transaction; returns False when the row changed since it was read."""


class Cure(StrEnum):
    """The remedy of a difference.

    Attributes:
        REPAIR: `timbra fsck --repair` writes the derived value.
        RESTORE: The row is evidence, which nothing derives: a verified backup or archive has it.
        REINDEX: An index or a page of the database is damaged, which the database can build again or a backup has.
        DECIDE: Two stored values contradict each other, and neither is derived from the other.
    """

    REPAIR = "repair"
    RESTORE = "restore"
    REINDEX = "reindex"
    DECIDE = "decide"


@dataclass(frozen=True, slots=True)
class FsckFinding:
    """A difference.

    Attributes:
        code: What differs, a key of `timbra.fsck.texts.TEXTS`.
        place: Table or file.
        key: The row: a folio, an account, a number. Empty for a whole table or file.
        column: The column; empty for a whole row.
        stored: The stored value as text.
        derived: What is derived; empty when nothing is.
        repair: Writes the derived value; None when it is not derived.
    """

    code: str
    place: str
    key: str
    column: str = ""
    stored: str = ""
    derived: str = ""
    cure: Cure = Cure.DECIDE
    repair: Repair | None = None


@dataclass(slots=True)
class FsckReport:
    """What a run found.

    Attributes:
        findings: The differences, those first that the database reports itself.
        is_complete: False when the run ended at `timbra.fsck.checking.MOST_FINDINGS`.
        rows: Number of rows that were read, by table.
        seconds: Duration, by the monotonic clock.
    """

    findings: list[FsckFinding] = field(default_factory=list)
    is_complete: bool = True
    rows: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0


def shown(value: object) -> str:
    """Return a stored value as a short text."""
    text = value if isinstance(value, str) else value.hex() if isinstance(value, bytes) else repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."
