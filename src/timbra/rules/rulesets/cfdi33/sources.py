"""Documents that state the rules of CFDI 3.3."""

from __future__ import annotations

from timbra.rules.engine.citation import Citation, matrix

MATRIX_2022_01 = matrix("SAT, matriz de errores de CFDI 3.3; Anexo 20 del 2017-07-28", "2022-01")
CADENA_ORIGINAL = Citation("SAT, cadena original de CFDI 3.3")
ANEXO_29_BORDER = Citation("RMF, Anexo 29, IV, estímulo de la región fronteriza")
