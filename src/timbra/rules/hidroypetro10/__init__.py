"""The error matrix of Hidrocarburos y Petrolíferos 1.0, as far as it is known: one function per code."""

from __future__ import annotations

from timbra.cfdi.nodes.hidroypetro10 import HidroYPetro
from timbra.rules.hidroypetro10 import permiso, producto
from timbra.rules.hidroypetro10.matrix import COMPANIONS, REVISION, SOURCE, UNKNOWN, VERSION
from timbra.rules.rule import Book, Listed

MODULES = (permiso, producto)

LISTED = (
    *(Listed(code, permiso.AT, "el texto de la matriz, que ninguna fuente trae", HidroYPetro) for code in UNKNOWN),
    Listed(COMPANIONS, permiso.AT, "la lista de complementos admitidos, que ninguna fuente trae", HidroYPetro),
    Listed(VERSION, f"{permiso.AT}/@Version", "lo exige el esquema: 301"),
)
"""Rows that are no rules: codes that are known by their number alone, and what the schema demands."""

BOOK = Book.of("hidroypetro10", REVISION, SOURCE, MODULES, LISTED, complement=HidroYPetro, versions=("4.0",))
