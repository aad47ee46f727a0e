"""Which matrix this is, and which rows it has."""

from __future__ import annotations

REVISION = "B"
SOURCE = "SAT, matriz de errores de Estado de Cuenta de Combustibles 1.2, revisión B"

CODED = ("ECC121", "ECC122", "ECC123", "ECC124")

KEYS = ("TipoCombustible",)
"""Attributes whose keys SAT's schema lists and no code names; findings show ECC999, SAT's code for such errors."""

ROWS = (*CODED, *(f"ECC999:{name}" for name in KEYS))
