"""Documents that state the rules of Carta Porte 3.1."""

from __future__ import annotations

from timbra.rules.engine.citation import Citation, matrix

MATRIX_2024_07_17 = matrix("SAT, matriz de errores de Carta Porte 3.1", "2024-07-17")
SCHEMA = Citation("SAT, esquema XSD de Carta Porte 3.1, catálogos")


def matrix_row(code: str) -> Citation:
    """Return the citation of a row of the matrix, for a requirement that the row states in addition to its rule."""
    return Citation(f"{MATRIX_2024_07_17.document}, fila {code}", MATRIX_2024_07_17.revision)
