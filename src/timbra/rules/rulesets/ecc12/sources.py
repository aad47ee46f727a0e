"""Documents that state the rules of Estado de Cuenta de Combustibles 1.2."""

from __future__ import annotations

from timbra.rules.engine.citation import Citation, matrix

MATRIX_B = matrix("SAT, matriz de errores de Estado de Cuenta de Combustibles 1.2", "B")
SCHEMA = Citation("SAT, esquema XSD de Estado de Cuenta de Combustibles 1.2, catálogos")
