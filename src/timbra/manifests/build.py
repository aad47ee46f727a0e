"""Construction of the register of manifests."""

from __future__ import annotations

from collections.abc import Callable

from timbra.container import Bindings, Container
from timbra.database.build import opened_database
from timbra.events.build import event_recorder
from timbra.manifests.manifests import Manifests
from timbra.manifests.store import ManifestRepository
from timbra.stamping.ports import manifest_requirement


def issuer_manifests(container: Container) -> Manifests:
    """Build the register of manifests."""
    repository = ManifestRepository(container.get(opened_database))
    return Manifests(repository, container.get(event_recorder), container.wall)


def _required_manifest(container: Container) -> Callable[[str], None] | None:
    """Return what rejects an issuer without a manifest at stamping; None when the settings require no manifests."""
    return container.get(issuer_manifests).require if container.settings.manifests_required else None


SERVICES = {Manifests: issuer_manifests}
BINDINGS: Bindings = {manifest_requirement: _required_manifest}
