"""Documents that state the rules of Retenciones 2.0."""

from __future__ import annotations

from timbra.rules.engine.citation import Citation, matrix

MATRIX_2025_04_09 = matrix("SAT, matriz de errores del CFDI de retenciones e información de pagos 2.0", "2025-04-09")
ANEXO_20 = Citation("Anexo 20, rubro II (CFDI de retenciones e información de pagos 2.0)", "2022-01-13")
PAGOS_A_EXTRANJEROS = Citation("SAT, esquema del complemento Pagos a extranjeros", "B")
