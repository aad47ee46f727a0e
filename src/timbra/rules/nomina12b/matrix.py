"""Which matrix this is, and which rows it has."""

from __future__ import annotations

from datetime import date
from typing import Final

REVISION = "B"
SOURCE = "SAT, error matrix of Nómina 1.2 for CFDI 3.3, revision B"

UNCLASSIFIED = "NOM225"
"""SAT's code for errors without one: nothing here needs it, every key has a code."""

ROWS = tuple(f"NOM{number}" for number in range(132, 230) if number != 225)

REVISION_B: Final = date(2020, 1, 1)
"""Since then payments 007 and 008 exist, and the rows that revision B appended after the unclassified one."""
