"""Construction of the services of the provider, and of its health checks and listed certificates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from timbra.container import Container, production_only
from timbra.database.build import opened_database
from timbra.delivery.build import authority_outbox, reception_repository
from timbra.delivery.deliveries import AuthorityOutbox
from timbra.delivery.receptions import ReceptionRepository
from timbra.events.audit.key_uses import KeyUseStore
from timbra.events.build import audit_recorder
from timbra.operations.health import HealthCheck
from timbra.provider.builder import read_provider_certificates
from timbra.provider.enrollment import ProviderEnrollment
from timbra.provider.identity import StampingCertificate
from timbra.provider.parts import provider_builder, provider_schedule

PROVIDER = "el proveedor no puede timbrar"


@dataclass(frozen=True, slots=True)
class ProviderServices:
    """The provider that stamps, and its deliveries to the SAT; a sandbox has none.

    Attributes:
        receptions: the SAT's answers.
        outbox: deliveries without an answer.
        key_uses: signatures with the provider's keys.
    """

    receptions: ReceptionRepository
    outbox: AuthorityOutbox
    key_uses: KeyUseStore


def provider_services(container: Container) -> ProviderServices:
    """Build the provider and its deliveries. Raises UnavailableServicesError: The environment is the sandbox."""
    if container.environment.is_sandbox:
        raise production_only()
    return ProviderServices(
        receptions=container.get(reception_repository),
        outbox=container.get(authority_outbox),
        key_uses=KeyUseStore(container.get(opened_database)),
    )


def provider_conditions(container: Container) -> Mapping[str, HealthCheck]:
    """Return the check that the provider may stamp now and that its key answers, if there is a provider."""
    schedule, builder = container.get(provider_schedule), container.get(provider_builder)
    if schedule is None:
        return {}

    def check() -> None:
        schedule.verify_key(schedule.scheduled())
        builder.require_tokens(schedule.in_force())

    return {PROVIDER: check}


def certificates_of_settings(container: Container) -> Callable[[], Sequence[StampingCertificate]]:
    """Return a function that reads the provider's certificates of the settings, for a report.

    It needs no authorities and keys, which a command that writes a report need not have.
    """
    settings = container.settings

    def read() -> Sequence[StampingCertificate]:
        begins = settings.provider_change_over
        has_changed = begins is not None and container.wall.now() >= begins
        roles = ("anterior", "en uso") if has_changed else ("en uso", "siguiente")
        since = (None, begins)
        return [
            StampingCertificate(settings.provider_rfc, found.number, role, begun, found.valid_from, found.valid_to)
            for found, role, begun in zip(read_provider_certificates(settings), roles, since, strict=False)
        ]

    return read


def provider_enrollment(container: Container) -> ProviderEnrollment:
    """Build what requests certificates. Raises UnavailableServicesError: The environment is the sandbox."""
    if container.environment.is_sandbox:
        raise production_only()
    get = container.get
    return ProviderEnrollment(container.settings, get(provider_builder), container.wall, get(audit_recorder))


SERVICES = {ProviderServices: provider_services, ProviderEnrollment: provider_enrollment}
