"""The error matrix of CFDI 4.0: one function per code, one file per node or attribute family."""

from __future__ import annotations

from timbra.rules.cfdi40 import emisor, fecha, objeto_imp, receptor, receptor_uso, relacionados
from timbra.rules.cfdi40.matrix import REVISION, SOURCE
from timbra.rules.rule import Book

BOOK = Book.of(
    "cfdi40",
    REVISION,
    SOURCE,
    (
        fecha,
        relacionados,
        emisor,
        receptor,
        receptor_uso,
        objeto_imp,
    ),
)
