"""Which matrix this is, and which rows it has."""

from __future__ import annotations

REVISION = "2024-01-18"
SOURCE = "SAT, matriz de errores de Comercio Exterior 2.0"
STANDARD = "SAT, estándar de Comercio Exterior 2.0"

CODED = tuple(f"CCE{number}" for number in range(101, 173))

KEYS = ("ClaveDePedimento", "MotivoTraslado", "UnidadAduana", "Propietario", "Receptor", "Destinatario")
"""Keys that SAT's schema lists and no code names, the last three of countries: the schemas here leave all keys to the
rules. Findings show CCE999, SAT's code for any other error."""

ROWS = (*CODED, *(f"CCE999:{name}" for name in KEYS))
