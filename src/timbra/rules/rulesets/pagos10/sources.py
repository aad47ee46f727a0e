"""Documents that state the rules of Recepción de Pagos 1.0."""

from __future__ import annotations

from timbra.rules.engine.citation import Citation, matrix

MATRIX_V10 = matrix("SAT, matriz de errores de Recepción de Pagos 1.0", "V10")
SCHEMA = Citation("SAT, esquema XSD de Recepción de Pagos 1.0, catálogos")
