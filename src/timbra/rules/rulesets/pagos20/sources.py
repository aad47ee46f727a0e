"""Documents that state the rules of Recepción de Pagos 2.0, and the first days of their revisions."""

from __future__ import annotations

from datetime import date
from typing import Final

from timbra.rules.engine.citation import Citation, matrix

MATRIX_B_2024_12_13 = matrix("SAT, matriz de errores de Recepción de Pagos 2.0", "B del 2024-12-13")
SCHEMA = Citation("SAT, esquema XSD de Recepción de Pagos 2.0, catálogos")
STANDARD = Citation("SAT, estándar de Recepción de Pagos 2.0", "B")
REVISION_B: Final = date(2023, 12, 12)
"""First day of revision B: CRP20275 to CRP20277, and ObjetoImpDR 04 and 05 without ImpuestosDR."""
OBJECTS_06_TO_08: Final = date(2024, 12, 13)
"""First day of ObjetoImpDR 06, 07 and 08."""
