"""The rules of all standards over one document: what stamping, validation and the command line call."""

from __future__ import annotations

from timbra.rules import (
    cartaporte31,
    cfdi33,
    cfdi40,
    comercioexterior20,
    ecc12,
    gceh10,
    hidroypetro10,
    ieeh10,
    ine11,
    nomina12,
    nomina12b,
    pagos10,
    pagos20,
)
from timbra.rules.engine import Engine

ENGINE = Engine(
    (
        cfdi40.BOOK,
        cfdi33.BOOK,
        pagos10.BOOK,
        pagos20.BOOK,
        *comercioexterior20.BOOKS,
        *cartaporte31.BOOKS,
        ine11.BOOK,
        ecc12.BOOK,
        ieeh10.BOOK,
        gceh10.BOOK,
        hidroypetro10.BOOK,
        *nomina12.BOOKS,
        *nomina12b.BOOKS,
    )
)

check = ENGINE.check
clear = ENGINE.clear
