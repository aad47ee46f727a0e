"""Which matrix this is, and which rows it has."""

from __future__ import annotations

REVISION = "A"
SOURCE = "SAT, matriz de errores de Ingresos de Hidrocarburos 1.0 para CFDI 4.0, revisión A"

UNCLASSIFIED = "IEEH999"

ROWS = (*(f"IEEH{number}" for number in range(102, 114)), UNCLASSIFIED)
