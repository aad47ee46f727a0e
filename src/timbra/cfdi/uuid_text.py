"""Fiscal folios: UUIDs as SAT writes them."""

from __future__ import annotations

import re

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")


def canonical_uuid(text: str) -> str | None:
    """The folio in lower case, None when the text has not the form of one."""
    folded = text.lower()
    return folded if _UUID.match(folded) else None
