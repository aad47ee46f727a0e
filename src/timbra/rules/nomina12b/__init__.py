"""The error matrix of Nómina 1.2 for CFDI 3.3: one function per code; what each demands stands in `rules/nomina`."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import Nomina, NominaDeConcepto
from timbra.rules.elsewhere import elsewhere
from timbra.rules.nomina12b import (
    comprobante,
    concepto,
    cuenta,
    deducciones,
    emisor,
    nomina,
    otros_pagos,
    percepciones,
    receptor,
)
from timbra.rules.nomina12b.matrix import REVISION, SOURCE
from timbra.rules.rule import Book

MODULES = (comprobante, concepto, nomina, emisor, receptor, cuenta, percepciones, deducciones, otros_pagos)

BOOK = Book.of("nomina12b", REVISION, SOURCE, MODULES, complement=Nomina, versions=("3.3",))
ELSEWHERE = elsewhere("NOM150", NominaDeConcepto, BOOK)
"""Asked where the complement stands in a Concepto."""
BOOKS = (BOOK, ELSEWHERE)
