"""The provider's certificates of an environment."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from timbra.container import Container
from timbra.provider.identity import StampingCertificate


def listed_provider_certificates(_container: Container) -> Callable[[], Sequence[StampingCertificate]]:
    """Return a function that returns the provider's certificates of the settings, for a report; a sandbox has none."""
    return lambda: ()
