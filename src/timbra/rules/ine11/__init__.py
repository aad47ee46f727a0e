"""The error matrix of INE 1.1: one function per code, for invoices of both versions."""

from __future__ import annotations

from timbra.cfdi.nodes.ine11 import INE
from timbra.rules.ine11 import comite, entidad
from timbra.rules.ine11.matrix import REVISION, SOURCE, UNCLASSIFIED
from timbra.rules.rule import Book, Listed

MODULES = (comite, entidad)

LISTED = (Listed(UNCLASSIFIED, at="Complemento/INE", reason="errores sin código propio: no se conoce ninguno"),)

BOOK = Book.of("ine11", REVISION, SOURCE, MODULES, LISTED, complement=INE)
