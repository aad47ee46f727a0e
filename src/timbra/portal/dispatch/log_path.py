"""Paths in the log."""

from __future__ import annotations

from timbra.accounts.sign_in_links import PATH as SIGN_IN_LINK


def loggable_path(path: str) -> str:
    """Return the path without the token of a sign-in link, which signs in until it is used."""
    return f"{SIGN_IN_LINK}..." if path.startswith(SIGN_IN_LINK) else path
