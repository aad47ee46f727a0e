"""Examples of rules about Comercio Exterior 2.0: CCE101 to CCE172, CCE999."""

from __future__ import annotations

from timbra.examples.codes.example import Example

COMERCIOEXTERIOR20: dict[str, Example] = {}
