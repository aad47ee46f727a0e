"""The error matrix of Gastos de Hidrocarburos 1.0 for CFDI 4.0: one function per code."""

from __future__ import annotations

from timbra.cfdi.nodes.gceh10 import GastosHidrocarburos
from timbra.rules.gceh10 import actividad, comprobante, concepto, costos, documento, pedimento
from timbra.rules.gceh10.matrix import REVISION, SOURCE, UNCLASSIFIED
from timbra.rules.rule import Book, Listed

MODULES = (comprobante, concepto, documento, pedimento, actividad, costos)

LISTED = (
    Listed(
        UNCLASSIFIED, at="Complemento/GastosHidrocarburos", reason="errores sin código propio: no se conoce ninguno"
    ),
)

BOOK = Book.of("gceh10", REVISION, SOURCE, MODULES, LISTED, complement=GastosHidrocarburos, versions=("4.0",))
