"""Which matrix this is, and which rows it has."""

from __future__ import annotations

REVISION = "1.1"
SOURCE = "SAT, matriz de errores del complemento INE 1.1"

UNCLASSIFIED = "INE999"

ROWS = (*(f"INE{number}" for number in range(180, 189)), UNCLASSIFIED)
