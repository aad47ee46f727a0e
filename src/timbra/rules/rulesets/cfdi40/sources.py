"""Documents that state the rules of CFDI 4.0."""

from __future__ import annotations

from timbra.rules.engine.citation import Citation, matrix

MATRIX_2026_03_25 = matrix("SAT, matriz de errores de CFDI 4.0", "2026-03-25")
INTERFACE = Citation("Interfaz del servicio de timbrado y validación, 2.5, reglas de contenido del comprobante")
GUIDE = Citation("SAT, guía de llenado del CFDI 4.0")
ANEXO_20 = Citation("SAT, Anexo 20, validaciones adicionales de los atributos")
ANEXO_29 = Citation("RMF 2026, Anexo 29, VI.1 numeral 10")
CADENA_ORIGINAL = Citation("SAT, cadena original de CFDI 4.0; fechas de las versiones de los complementos")
ANEXO_29_BORDER = Citation("RMF, Anexo 29, IV, estímulo de la región fronteriza")
