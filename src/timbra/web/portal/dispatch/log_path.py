"""Paths in the log."""

from __future__ import annotations

SIGN_IN_LINK = "/portal/entrar/enlace/"
"""Before the token of a sign-in link."""


def loggable_path(path: str) -> str:
    """Return the path without the token of a sign-in link, which signs in until it is used."""
    return f"{SIGN_IN_LINK}..." if path.startswith(SIGN_IN_LINK) else path
