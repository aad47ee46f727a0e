"""The error matrix of Carta Porte 3.1: one function per code, one file per node or attribute family."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import CartaPorte
from timbra.rules.cartaporte31.matrix import REVISION, SOURCE
from timbra.rules.rule import Book

MODULES = ()

BOOK = Book.of("cartaporte31", REVISION, SOURCE, MODULES, complement=CartaPorte, versions=("4.0",))
