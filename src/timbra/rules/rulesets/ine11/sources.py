"""Documents that state the rules of INE 1.1."""

from __future__ import annotations

from timbra.rules.engine.citation import matrix

MATRIX_1_1 = matrix("SAT, matriz de errores del complemento INE 1.1", "1.1")
