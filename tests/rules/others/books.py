"""The books of the table `others.csv`."""

from __future__ import annotations

from timbra.rules import ecc12, gceh10, hidroypetro10, ieeh10, ine11
from timbra.rules.rule import Book

MODULES = (ecc12, gceh10, hidroypetro10, ieeh10, ine11)
BOOKS: tuple[Book, ...] = tuple(module.BOOK for module in MODULES)
