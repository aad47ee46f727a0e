"""Paths in the log."""

from __future__ import annotations

SIGN_IN_LINK = "/portal/entrar/enlace/"
"""Before the token of a sign-in link."""
SUPPLIER_LINK = "/portal/entregar/"
"""Before the token of a supplier's link."""


def loggable_path(path: str) -> str:
    """Return the path without the token of a link, which is all that is needed to sign in or to deliver."""
    for link in (SIGN_IN_LINK, SUPPLIER_LINK):
        if path.startswith(link):
            return f"{link}..."
    return path
