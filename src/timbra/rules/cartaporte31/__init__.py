"""The error matrix of Carta Porte 3.1: one function per code, one file per node or attribute family."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import CartaPorte, CartaPorteDeConcepto
from timbra.rules.cartaporte31 import (
    aduana,
    aereo,
    autotransporte,
    cantidades,
    cartaporte,
    claves,
    claves_transporte,
    comprobante,
    domicilios,
    estaciones,
    ferroviario,
    figuras,
    maritimo,
    mercancia,
    mercancias,
    regimenes,
    sanitarios,
    ubicaciones,
    version,
)
from timbra.rules.cartaporte31.matrix import REVISION, SOURCE
from timbra.rules.elsewhere import elsewhere
from timbra.rules.rule import VERSIONS, Book

MODULES = (
    comprobante,
    cartaporte,
    regimenes,
    ubicaciones,
    estaciones,
    domicilios,
    mercancias,
    mercancia,
    sanitarios,
    aduana,
    cantidades,
    autotransporte,
    maritimo,
    aereo,
    ferroviario,
    figuras,
    claves,
    claves_transporte,
)

BOOK = Book.of("cartaporte31", REVISION, SOURCE, MODULES, complement=CartaPorte, versions=("4.0",))

EARLIER = Book.of("cartaporte31", REVISION, SOURCE, (version,), complement=CartaPorte, versions=("3.3",))
"""Asked of the invoices that the complement does not belong to: that they are such says all."""

ELSEWHERE = elsewhere("CP112:Concepto", CartaPorteDeConcepto, BOOK, VERSIONS)
"""Asked where the complement stands in a Concepto."""

BOOKS = (BOOK, EARLIER, ELSEWHERE)
