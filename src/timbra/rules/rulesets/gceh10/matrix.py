"""Which matrix this is, and which rows it has."""

from __future__ import annotations

REVISION = "A"
SOURCE = "SAT, error matrix of Gastos de Hidrocarburos 1.0 for CFDI 4.0, revision A"

UNCLASSIFIED = "GCEH999"

ROWS = (*(f"GCEH{number}" for number in range(102, 144)), UNCLASSIFIED)
