"""Examples of the rules about versions of complements."""

from __future__ import annotations

from timbra.examples.complements import COMPLEMENTS

BY_NAME = {complement.name: complement for complement in COMPLEMENTS}
CARTA_PORTE = BY_NAME["cartaporte30"]
FUEL, EARLIER_FUEL = BY_NAME["consumodecombustibles11"], BY_NAME["consumodecombustibles10"]
