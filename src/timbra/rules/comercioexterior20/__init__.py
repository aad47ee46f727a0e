"""The error matrix of Comercio Exterior 2.0: one function per code, one file per node or attribute family."""

from __future__ import annotations

from timbra.cfdi.nodes.comercioexterior20 import ComercioExterior, ComercioExteriorDeConcepto
from timbra.rules.comercioexterior20 import (
    complemento,
    comprobante,
    concepto,
    domicilio_destinatario,
    domicilio_emisor,
    domicilio_receptor,
    fraccion,
    mercancia,
    partes,
    valor,
)
from timbra.rules.comercioexterior20.matrix import REVISION, SOURCE
from timbra.rules.elsewhere import elsewhere
from timbra.rules.rule import Book, Listed

MODULES = (
    comprobante,
    concepto,
    complemento,
    partes,
    domicilio_emisor,
    domicilio_receptor,
    domicilio_destinatario,
    mercancia,
    fraccion,
    valor,
)

LISTED = (Listed("CCE104", "@Exportacion", "lo juzga CFDI40122 también cuando falta el complemento"),)
"""Rows of the matrix that are no rules: a book is asked only where its complement is."""

BOOK = Book.of("comercioexterior20", REVISION, SOURCE, MODULES, LISTED, complement=ComercioExterior, versions=("4.0",))
ELSEWHERE = elsewhere("CCE114", ComercioExteriorDeConcepto, BOOK)
"""Asked where the complement stands in a Concepto."""
BOOKS = (BOOK, ELSEWHERE)
