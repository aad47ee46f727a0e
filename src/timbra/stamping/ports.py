"""What other packages add to stamping."""

from __future__ import annotations

from collections.abc import Callable

from timbra.container import Container
from timbra.core.errors import ServiceError


def manifest_requirement(container: Container) -> Callable[[str], None] | None:
    """Return what rejects an issuer without a manifest, see `Dependencies`; None when the settings require none.

    Raises:
        ServiceError: "CO1000" when the settings require manifests: no feature of this server has them.
    """
    if container.settings.manifests_required:
        raise ServiceError("CO1000", "Este servidor no guarda manifiestos: quite TIMBRA_MANIFESTS_REQUIRED.")
    return None
