"""Documents that state the rules of Servicios de plataformas tecnológicas 1.0."""

from __future__ import annotations

from timbra.rules.engine.citation import matrix

MATRIX_D = matrix("SAT, matriz de errores de Servicios de plataformas tecnológicas 1.0", "D")
