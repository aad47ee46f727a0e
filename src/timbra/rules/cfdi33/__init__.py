"""The error matrix of CFDI 3.3: one function per code, one file per node or attribute family.

CFDI33102 and CFDI33105 are asked with the provider's own codes, see `timbra.rules.seals`. Invoices of 3.3 are of the
past: they are judged by the catalogs of their date, and where only the products and postal codes of CFDI 4.0 are at
hand, what those disprove is a warning.
"""

from __future__ import annotations

from timbra.cfdi.nodes import Concepto
from timbra.rules.cfdi33 import (
    complementos,
    comprobante,
    concepto,
    confirmacion,
    emisor,
    forma_pago,
    frontera,
    impuestos,
    impuestos_retencion,
    impuestos_traslado,
    moneda,
    parte,
    pedimento,
    receptor,
    receptor_extranjero,
    retencion,
    totales,
    traslado,
)
from timbra.rules.cfdi33.matrix import NOT_APPLIED, REVISION, SOURCE
from timbra.rules.rule import Book, Listed

MODULES = (
    comprobante,
    forma_pago,
    totales,
    moneda,
    confirmacion,
    emisor,
    receptor,
    receptor_extranjero,
    concepto,
    traslado,
    retencion,
    pedimento,
    parte,
    impuestos,
    impuestos_retencion,
    impuestos_traslado,
    frontera,
    complementos,
)

LISTED = (
    Listed(
        "CFDI33143",
        at="Conceptos/Concepto/@ClaveProdServ",
        reason="c_ClaveProdServ.complemento, que ninguna fuente trae",
        kind=Concepto,
    ),
    *(Listed(code, at, reason="el SAT indica no aplicarla") for code, at in NOT_APPLIED.items()),
)
"""Rows of the matrix that are no rules."""

BOOK = Book.of("cfdi33", REVISION, SOURCE, MODULES, LISTED, versions=("3.3",))
