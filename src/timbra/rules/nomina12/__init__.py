"""The error matrix of Nómina 1.2 for CFDI 4.0: one function per code, one file per node or attribute family.

What a demand means stands in `rules/nomina`, which the matrix for CFDI 3.3 shares.
"""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import Nomina, NominaDeConcepto
from timbra.rules.elsewhere import elsewhere
from timbra.rules.nomina12 import (
    comprobante,
    concepto,
    deducciones,
    emisor,
    nomina,
    otros_pagos,
    percepcion,
    percepciones,
    receptor,
)
from timbra.rules.nomina12.matrix import REVISION, SOURCE
from timbra.rules.rule import Book, Listed

MODULES = (comprobante, concepto, nomina, emisor, receptor, percepciones, percepcion, deducciones, otros_pagos)

LISTED = (
    Listed("NOM10", at="Complemento/Nomina/Receptor/@Curp", reason="el esquema ya lo exige: sin Curp se responde 301"),
)
"""The row that is no rule: a required attribute stays in the structure."""

BOOK = Book.of("nomina12", REVISION, SOURCE, MODULES, LISTED, complement=Nomina, versions=("4.0",))
ELSEWHERE = elsewhere("NOM30", NominaDeConcepto, BOOK)
"""Asked where the complement stands in a Concepto."""
BOOKS = (BOOK, ELSEWHERE)
