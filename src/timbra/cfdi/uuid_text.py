"""Fiscal folios: UUIDs as SAT writes them."""

from __future__ import annotations

import re

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")


def canonical_uuid(text: str) -> str | None:
    """Return the folio in lower case; None when the text does not have the form of one."""
    folded = text.lower()
    return folded if _UUID.match(folded) else None
