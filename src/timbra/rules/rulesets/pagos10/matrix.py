"""Which matrix this is, and which rows it has."""

from __future__ import annotations

REVISION = "V10"
SOURCE = "SAT, matriz de errores de Recepción de Pagos 1.0"
STANDARD = "SAT, estándar de Recepción de Pagos 1.0"

CODED = (
    *(f"CRP{number}" for number in range(101, 123)),
    *(f"CRP{number}" for number in range(201, 240)),
)

KEYS = ("FormaDePagoP", "MonedaP", "TipoCadPago", "MonedaDR", "MetodoDePagoDR")
"""Attributes whose keys SAT's schema lists and no code names: the schemas here leave all keys to the rules.

Findings show CRP999, SAT's code for errors without one.
"""

ROWS = (*CODED, *(f"CRP999:{name}" for name in KEYS))
