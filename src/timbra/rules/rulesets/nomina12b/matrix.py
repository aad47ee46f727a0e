"""Which matrix this is, and which rows it has."""

from __future__ import annotations

from datetime import date
from typing import Final

REVISION = "B"
SOURCE = "SAT, matriz de errores de Nómina 1.2 para CFDI 3.3, revisión B"

STANDARD = "SAT, estándar de Nómina 1.2"

CODED = tuple(f"NOM{number}" for number in range(132, 230) if number != 225)

UNCODED = ("TotalOtrosPagos", "TotalOtrasDeducciones")
"""What the standard demands without a code; findings show NOM225, SAT's code for such errors."""

ROWS = (*CODED, *(f"NOM225:{name}" for name in UNCODED))

REVISION_B: Final = date(2020, 1, 1)
"""Since then payments 007 and 008 exist, and the rows that revision B appended after the unclassified one."""
