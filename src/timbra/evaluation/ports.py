"""What an environment adds to the evaluation of documents."""

from __future__ import annotations

from timbra.container import Container
from timbra.evaluation.known_documents import Documents


def known_elsewhere(_container: Container) -> Documents | None:
    """Return documents of the authority besides the stamps of this server; None, unless an environment binds it."""
    return None


def certificate_hint(_container: Container) -> str | None:
    """Return the hint for an unknown certificate, see `Dependencies`; None, unless an environment binds it."""
    return None
