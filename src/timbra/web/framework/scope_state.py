"""State of an ASGI scope that the application sets and the HTTP server reads."""

from __future__ import annotations

from starlette.types import Scope

AUTHENTICATED = "timbra.authenticated"
"""Key in the state of an ASGI scope."""


def mark_authenticated(scope: Scope) -> None:
    """Record in the ASGI scope that the caller of this request is authenticated."""
    scope.setdefault("state", {})[AUTHENTICATED] = True
