"""Which matrix this is, and which rows it has."""

from __future__ import annotations

REVISION = "A"
SOURCE = "SAT, matriz de errores de Gastos de Hidrocarburos 1.0 para CFDI 4.0, revisión A"

UNCLASSIFIED = "GCEH999"

ROWS = (*(f"GCEH{number}" for number in range(102, 144)), UNCLASSIFIED)
