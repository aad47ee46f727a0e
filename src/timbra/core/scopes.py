"""Scopes: the parts of the API that a token may use; a token without scopes may use all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

STAMP: Final = "stamp"
CANCEL: Final = "cancel"
READ: Final = "read"
MANAGE: Final = "manage"
SCOPES: Final = (STAMP, CANCEL, READ, MANAGE)
Scopes = frozenset[str]


def checked_scopes(names: Iterable[str]) -> Scopes | None:
    """Return the scopes of these names; None, which means all, for no name. Raises ValueError: A name is unknown."""
    scopes = frozenset(names)
    if unknown := scopes - set(SCOPES):
        raise ValueError(f"no such scope: {min(unknown)}")
    return scopes or None


def scopes_text(scopes: Scopes | None) -> str:
    """Return the names in their usual order, separated by blanks; empty for all scopes."""
    return " ".join(name for name in SCOPES if scopes is not None and name in scopes)
