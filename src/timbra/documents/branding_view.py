"""The example document that the page of the branding prints."""

from __future__ import annotations

from functools import cache

from timbra import examples

CONCEPTS = 8


@cache
def sample_document() -> bytes:
    """Return an invoice without a stamp."""
    return examples.ingreso(concepts=CONCEPTS).encode()
