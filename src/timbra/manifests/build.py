"""Construction of the register of manifests."""

from __future__ import annotations

from collections.abc import Callable

from timbra.container import Bindings, Container
from timbra.database.build import opened_database
from timbra.events.build import event_recorder
from timbra.manifests.manifests import Manifests
from timbra.manifests.services import ManifestServices
from timbra.manifests.store import ManifestRepository
from timbra.stamping.ports import manifest_requirement


def manifest_services(container: Container) -> ManifestServices:
    """Build the register of manifests."""
    repository = ManifestRepository(container.get(opened_database))
    return ManifestServices(Manifests(repository, container.get(event_recorder), container.wall), container.wall)


def _required_manifest(container: Container) -> Callable[[str], None] | None:
    """Return what rejects an issuer without a manifest at stamping; None when the settings require no manifests."""
    return container.get(manifest_services).manifests.require if container.settings.manifests_required else None


SERVICES = {ManifestServices: manifest_services}
BINDINGS: Bindings = {manifest_requirement: _required_manifest}
