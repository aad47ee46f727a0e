"""Which matrix this is, and which rows it has."""

from __future__ import annotations

from datetime import date

REVISION = "E-2026-01-01"
SOURCE = "SAT, matriz de errores de Nómina 1.2, revisión E"
STANDARD = "SAT, estándar de Nómina 1.2"
REVISION_E = date(2026, 1, 1)
"""Before it, revisions C and D, which had neither NOM110 nor NOM111, and another NOM109."""

CODED = tuple(f"NOM{number}" for number in range(1, 111))

UNCODED = ("TotalOtrosPagos", "TotalOtrasDeducciones")
"""What the standard demands without a code; findings show NOM111, SAT's code for such errors."""

ROWS = (*CODED, *(f"NOM111:{name}" for name in UNCODED))
