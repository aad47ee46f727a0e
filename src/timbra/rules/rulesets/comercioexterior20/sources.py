"""Documents that state the rules of Comercio Exterior 2.0."""

from __future__ import annotations

from timbra.rules.engine.citation import Citation, matrix

MATRIX_2024_01_18 = matrix("SAT, matriz de errores de Comercio Exterior 2.0", "2024-01-18")
SCHEMA = Citation("SAT, esquema XSD de Comercio Exterior 2.0, catálogos")
