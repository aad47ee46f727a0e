"""Which matrix this is, and which rows it has."""

from __future__ import annotations

from datetime import date

REVISION = "A-2026-04-24"
SOURCE = "SAT, matriz de errores de Hidrocarburos y Petrolíferos 1.0, revisión A, según la citan los proveedores"
ANEXO_29 = "RMF 2026, Anexo 29, III.3 y VI.1.9"
SINCE = date(2026, 4, 24)
"""From this day on fuel is not sold without the complement."""

UNKNOWN = ("CCHYP101", "CCHYP102", "CCHYP103", "CCHYP104", "CCHYP105", "CCHYP109")
COMPANIONS = "CCHYP106"
CODED = ("CCHYP107", "CCHYP107:L_CNE", "CCHYP108", "CCHYP110")
"""CCHYP107 asks for two things, one of them of a list that few have."""

UNCODED = ("HYP-TipoPermiso", "HYP-NumeroPermiso", "HYP-ClaveHYP", "HYP-ClaveHYP-L_CNE", "HYP-unit")
"""What the standard demands without a known code; findings show CFDI40999, the invoice's own code for such errors."""

VERSION = "CFDI40999:HYP-Version"

REQUIRED = "CFDI40999:HYP-required"
"""Of invoices without the complement: it stands in the book of CFDI 4.0."""

ROWS = (*UNKNOWN, COMPANIONS, *CODED, *(f"CFDI40999:{name}" for name in UNCODED), VERSION)
