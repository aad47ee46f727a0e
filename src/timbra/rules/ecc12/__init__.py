"""The error matrix of Estado de Cuenta de Combustibles 1.2: one function per code, for invoices of both versions."""

from __future__ import annotations

from timbra.cfdi.nodes.ecc12 import EstadoDeCuentaCombustible
from timbra.rules.ecc12 import carga, cuenta
from timbra.rules.ecc12.matrix import REVISION, SOURCE
from timbra.rules.rule import Book

MODULES = (cuenta, carga)

BOOK = Book.of("ecc12", REVISION, SOURCE, MODULES, complement=EstadoDeCuentaCombustible)
