"""What each environment trusts."""

from __future__ import annotations

from timbra.container import Container
from timbra.seals.certificates.trust_store import TrustStore


def trust_store(_container: Container) -> TrustStore:
    """Return the trusted certificate authorities and providers; each environment binds it."""
    raise NotImplementedError
