"""Examples of rules about Carta Porte 3.1: CP101 to CP204, CP999."""

from __future__ import annotations

from timbra.examples.codes.example import Example

CARTAPORTE31: dict[str, Example] = {}
