"""Examples of rules about Nómina 1.2: NOM1 to NOM111."""

from __future__ import annotations

from timbra.examples.codes.example import Example

NOMINA12: dict[str, Example] = {}
