"""Documents that state the rules of Planes de retiro 1.1."""

from __future__ import annotations

from timbra.rules.engine.citation import Citation, matrix

MATRIX_B = matrix("SAT, matriz de errores de Planes de retiro 1.1", "B")
SCHEMA = Citation("SAT, esquema del complemento Planes de retiro 1.1", "B")
