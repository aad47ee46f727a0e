"""The error matrix of Ingresos de Hidrocarburos 1.0 for CFDI 4.0: one function per code."""

from __future__ import annotations

from timbra.cfdi.nodes.ieeh10 import IngresosHidrocarburos
from timbra.rules.ieeh10 import comprobante, concepto, ingresos
from timbra.rules.ieeh10.matrix import REVISION, SOURCE, UNCLASSIFIED
from timbra.rules.rule import Book, Listed

MODULES = (comprobante, concepto, ingresos)

LISTED = (Listed(UNCLASSIFIED, at=ingresos.AT, reason="errores sin código propio: no se conoce ninguno"),)

BOOK = Book.of("ieeh10", REVISION, SOURCE, MODULES, LISTED, complement=IngresosHidrocarburos, versions=("4.0",))
