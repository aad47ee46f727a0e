"""Documents that state the rules of Hidrocarburos y Petrolíferos 1.0."""

from __future__ import annotations

from timbra.rules.engine.citation import Citation, matrix

MATRIX_A_2026_04_24 = matrix(
    "SAT, matriz de errores de Hidrocarburos y Petrolíferos 1.0, según la citan los proveedores", "A del 2026-04-24"
)
SCHEMA = Citation("SAT, esquema XSD de Hidrocarburos y Petrolíferos 1.0, catálogos")
ANEXO_29_HYDROCARBONS = Citation("RMF 2026, Anexo 29, III.3 y VI.1.9")
CATALOG_CLAVE_HYP = Citation("SAT, catálogo c_ClaveHYP")
