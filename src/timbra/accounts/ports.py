"""What an environment does with the certificates of accounts."""

from __future__ import annotations

from collections.abc import Callable

from timbra.container import Container
from timbra.seals.certificates.certificate import Certificate


def certificate_registration(_container: Container) -> Callable[[Certificate], None]:
    """Return what handles a CSD that was stored in the vault; nothing, unless an environment binds it."""
    return lambda _: None
