"""Documents that state the rules of Ingresos de Hidrocarburos 1.0."""

from __future__ import annotations

from timbra.rules.engine.citation import matrix

MATRIX_A = matrix("SAT, matriz de errores de Ingresos de Hidrocarburos 1.0 para CFDI 4.0", "A")
