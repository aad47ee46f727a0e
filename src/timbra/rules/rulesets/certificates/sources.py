"""Documents that state the rules about certificate, seal, date and stamp."""

from __future__ import annotations

from timbra.rules.engine.citation import Citation

ANEXO_20 = Citation("Anexo 20 (CFDI 4.0) y matriz de errores del SAT")
ANEXO_20_33 = Citation("Anexo 20 (CFDI 3.3) y matriz de errores del SAT")
TFD_11 = Citation("Anexo 20, Timbre Fiscal Digital 1.1")
PROVIDER_VALIDATIONS = Citation("SAT, validaciones de los proveedores (Anexo 20, rubro III)")
PROVIDER_RETENCIONES = Citation("SW, códigos del timbrado de retenciones")
