"""Which matrix this is, and which rows it has."""

from __future__ import annotations

REVISION = "A"
SOURCE = "SAT, error matrix of Ingresos de Hidrocarburos 1.0 for CFDI 4.0, revision A"

UNCLASSIFIED = "IEEH999"

ROWS = (*(f"IEEH{number}" for number in range(102, 114)), UNCLASSIFIED)
