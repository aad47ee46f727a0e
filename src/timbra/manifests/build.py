"""Construction of the register of manifests, and of their signing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from timbra.accounts.build import envelope_encryption
from timbra.accounts.secrets import shared_secret
from timbra.container import Bindings, Container
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.events.build import event_recorder
from timbra.manifests.manifests import Manifests
from timbra.manifests.signing import EXAMPLE, ManifestProvider, ManifestSigning
from timbra.manifests.store import ManifestRepository
from timbra.rules.ports import reference_source
from timbra.sat.ports import stamping_provider
from timbra.seals.ports import trust_store
from timbra.stamping.ports import manifest_requirement

SECRET = "manifest links"  # noqa: S105 (a name)


def issuer_manifests(container: Container) -> Manifests:
    """Build the register of manifests."""
    repository = ManifestRepository(container.get(opened_database))
    return Manifests(repository, container.get(event_recorder), container.wall)


def manifest_signing(container: Container) -> ManifestSigning:
    """Build the signing of manifests; a sandbox without a template has an example."""
    get, template = container.get, container.settings.manifest_template
    if template is None and container.environment.is_sandbox:
        template = EXAMPLE
    return ManifestSigning(
        get(issuer_manifests),
        lambda: shared_secret(get(opened_database), get(envelope_encryption), SECRET),
        template,
        partial(_provider, container),
        get(trust_store),
        get(reference_source).current,
    )


def _provider(container: Container) -> ManifestProvider:
    """Return who stamps; nobody when no provider may stamp now."""
    try:
        found = container.get(stamping_provider)()
    except ServiceError:
        found = None
    return ManifestProvider("", "") if found is None else ManifestProvider(found.rfc, found.certificate.name)


def _required_manifest(container: Container) -> Callable[[str], None] | None:
    """Return what rejects an issuer without a manifest at stamping; None when the settings require no manifests."""
    return container.get(issuer_manifests).require if container.settings.manifests_required else None


SERVICES = {Manifests: issuer_manifests, ManifestSigning: manifest_signing}
BINDINGS: Bindings = {manifest_requirement: _required_manifest}
