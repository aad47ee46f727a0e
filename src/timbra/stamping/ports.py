"""What other packages add to stamping."""

from __future__ import annotations

from collections.abc import Callable

from timbra.container import Container


def manifest_requirement(_container: Container) -> Callable[[str], None] | None:
    """Return what rejects an issuer without a manifest, see `Dependencies`; None, unless the settings require one."""
    return None
