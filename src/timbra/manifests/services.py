"""The services of manifests, which commands receive by type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.core.clock import Clock
    from timbra.manifests.manifests import Manifests


@dataclass(frozen=True, slots=True)
class ManifestServices:
    """Manifests of issuers; `wall` is wall time."""

    manifests: Manifests
    wall: Clock
