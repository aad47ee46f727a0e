"""The error matrix of Comercio Exterior 2.0: one function per code, one file per node or attribute family."""

from __future__ import annotations

from timbra.cfdi.nodes.comercioexterior20 import ComercioExterior
from timbra.rules.comercioexterior20.matrix import REVISION, SOURCE
from timbra.rules.rule import Book

MODULES = ()

BOOK = Book.of("comercioexterior20", REVISION, SOURCE, MODULES, complement=ComercioExterior)
