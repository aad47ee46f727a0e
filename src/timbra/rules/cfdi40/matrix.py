"""Which matrix this is."""

from __future__ import annotations

REVISION = "2024-12-13"
SOURCE = f"SAT, error matrix of CFDI 4.0 of {REVISION}"
