"""Minimal valid documents with complements: one builder each, small files by subject.

Those whose rules have many examples are beside this folder.
"""

from __future__ import annotations

from timbra.examples.complements import commerce, estate, fuel, institutions, money, transport, vehicles
from timbra.examples.complements.complement import Complement

MODULES = (commerce, estate, fuel, institutions, money, transport, vehicles)

COMPLEMENTS: tuple[Complement, ...] = tuple(
    sorted((each for module in MODULES for each in module.COMPLEMENTS), key=lambda each: each.name)
)

__all__ = ["COMPLEMENTS", "Complement"]
