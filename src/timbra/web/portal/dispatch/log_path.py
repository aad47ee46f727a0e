"""Paths in the log."""

from __future__ import annotations

SIGN_IN_LINK = "/portal/entrar/enlace/"
"""Before the token of a sign-in link."""
SUPPLIER_LINK = "/portal/entregar/"
"""Before the token of a supplier's link."""
MANIFEST_LINK = "/portal/manifiesto/"
"""Before the token of the link of a taxpayer who signs the manifest."""


def loggable_path(path: str) -> str:
    """Return the path without the token of a link, which is all that is needed to sign in, to deliver or to sign."""
    for link in (SIGN_IN_LINK, SUPPLIER_LINK, MANIFEST_LINK):
        if path.startswith(link):
            return f"{link}..."
    return path
