"""Which matrix this is, and which rows it has."""

from __future__ import annotations

REVISION = "B-2024-12-13"
SOURCE = "SAT, matriz de errores de Recepción de Pagos 2.0, revisión B"
STANDARD = "SAT, estándar de Recepción de Pagos 2.0, revisión B"

CODED = (
    *(f"CRP{number}" for number in range(20101, 20124)),
    *(f"CRP{number}" for number in range(20201, 20280)),
)

UNCODED = ("UsoCFDI", "Pagos-unique", "FormaDePagoP-columns")
"""What the standard demands without a code; findings show CRP20999, SAT's code for such errors."""

KEYS = ("MonedaP", "MonedaDR", "TipoFactorP", "TipoCadPago")
"""Attributes whose keys SAT's schema lists and no code names: the schemas here leave all keys to the rules."""

ROWS = (*CODED, *(f"CRP20999:{name}" for name in (*UNCODED, *KEYS)))
