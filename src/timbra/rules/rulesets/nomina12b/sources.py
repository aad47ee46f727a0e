"""Documents that state the rules of Nómina 1.2 for CFDI 3.3, and the first day of revision B."""

from __future__ import annotations

from datetime import date
from typing import Final

from timbra.rules.engine.citation import Citation, matrix

MATRIX_B = matrix("SAT, matriz de errores de Nómina 1.2 para CFDI 3.3", "B")
STANDARD = Citation("SAT, estándar de Nómina 1.2")
REVISION_B: Final = date(2020, 1, 1)
"""First day of payments 007 and 008, and of the rows that revision B appends after the unclassified one."""
