"""Documents that state the rules of Nómina 1.2, and the first day of revision E."""

from __future__ import annotations

from datetime import date

from timbra.rules.engine.citation import Citation, matrix

MATRIX_E_2026_01_01 = matrix("SAT, matriz de errores de Nómina 1.2", "E del 2026-01-01")
STANDARD = Citation("SAT, estándar de Nómina 1.2")
REVISION_E = date(2026, 1, 1)
"""First day of revision E. Revisions C and D have neither NOM110 nor NOM111, and another NOM109."""
