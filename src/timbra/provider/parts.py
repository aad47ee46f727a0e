"""Construction of the provider, and of the clients of the SAT's services at which it logs in."""

from __future__ import annotations

from datetime import timedelta

from timbra.container import Container
from timbra.container.build import fiscal_clock
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.core.retry import RetryPolicy
from timbra.database.build import opened_database
from timbra.delivery.build import authority_outbox, delivery_state, reception_repository
from timbra.delivery.cancellation_submissions import SubmissionQueue
from timbra.delivery.outage_store import OutageRepository
from timbra.delivery.outages import DeliveryOutages
from timbra.delivery.sat_delivery import DeliveryPolicy, DeliveryService, ReceptionByKind
from timbra.events.build import signature_counter
from timbra.provider.builder import ProviderBuilder
from timbra.provider.identity import ProviderSchedule
from timbra.provider.key_use import KeyUseCounter
from timbra.sat.access_token import NO_ACCESS, Access, SatAccess
from timbra.sat.addresses import require_delivery, sat_addresses
from timbra.sat.blob_upload import BlobContainer, BlobUpload
from timbra.sat.cancellation import LIMITS, CancellationAddresses, SatCancellations
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.reception import SatReception
from timbra.sat.retenciones_cancellation import SatRetencionesCancellations
from timbra.sat.retenciones_reception import SatRetencionesReception
from timbra.sat.soap import SoapService
from timbra.sat.transport import Transport
from timbra.seals.certificates.trust_store import TrustStore
from timbra.settings import Settings
from timbra.stamps.build import database_stamps


def trusted_issuers(container: Container) -> TrustStore:
    """Return the SAT's authorities and providers, and those of `trust_dir`. A rehearsal trusts others.

    Raises:
        ServiceError: "trust-refused" for a certificate that the SAT did not issue, or with `rehearsal_authority`.
    """
    if container.settings.rehearsal_authority is not None:
        raise ServiceError("trust-refused", "Producción solo confía en el SAT; quite TIMBRA_REHEARSAL_AUTHORITY.")
    trust = TrustStore.built_in(production=True)
    folder = container.settings.trust_dir
    return trust if folder is None else trust.with_folder(folder, production=True)


def provider_builder(container: Container) -> ProviderBuilder:
    """Build what builds the identity of the provider."""
    counter = KeyUseCounter(container.get(signature_counter), container.metrics)
    issuers = container.get(trusted_issuers)
    return ProviderBuilder(container.settings, issuers, container.wall, container.metrics, counter)


def provider_schedule(container: Container) -> ProviderSchedule | None:
    """Build the certificates of the provider; None without a provider.

    Raises:
        ServiceError: As `ProviderBuilder.schedule`.
    """
    builder = container.get(provider_builder)
    return builder.schedule() if builder.is_configured else None


def trust_with_provider(container: Container) -> TrustStore:
    """Return the trusted authorities and providers, with the certificates of this provider that may stamp."""
    trust, builder = container.get(trusted_issuers), container.get(provider_builder)
    for certificate in builder.certificates():
        if trust.provider(certificate.number) is None and not builder.rules.problems(certificate):
            trust = trust.with_provider(certificate)
    return trust


def submission_queue(container: Container) -> SubmissionQueue:
    """Build the SAT's cancellation services; requests without an answer are sent again."""
    get, wall = container.get, container.wall
    authority = sat_cancellations(container.settings, get(provider_schedule), wall)
    return SubmissionQueue(
        authority,
        get(opened_database),
        get(authority_outbox),
        wall,
        get(fiscal_clock),
        container.metrics,
        get(delivery_state),
    )


def sat_delivery(container: Container) -> DeliveryService | None:
    """Build the delivery of stamps to the SAT; None without a provider.

    Raises:
        ServiceError: "provider-settings" without an address or an access signature; "CO1000" for an address that the
            environment must not use.
    """
    get, settings, wall = container.get, container.settings, container.wall
    schedule = get(provider_schedule)
    if schedule is None:
        return None
    addresses, transport = sat_addresses(settings), Transport()
    require_delivery(settings, addresses)
    # A delivery has two calls, upload and announcement, which share its time.
    retry_policy = RetryPolicy(settings.delivery_timeout_seconds / 2, settings.sat_attempts)
    cfdi = SatReception(
        BlobUpload(BlobContainer(addresses.sat_container_url, settings.sat_access_signature), transport),
        SoapService(addresses.sat_reception_url, transport),
        sat_access(settings, addresses.sat_reception_login_url, schedule, transport, wall),
        CircuitBreaker(),
        retry_policy,
    )
    url = addresses.sat_retenciones_reception_url
    access = sat_access(settings, addresses.sat_retenciones_login_url, schedule, transport, wall)
    retenciones = SatRetencionesReception(url, transport, access, CircuitBreaker(), retry_policy) if url else None
    policy = DeliveryPolicy(
        settings.delivery_concurrency,
        timedelta(seconds=settings.delivery_timeout_seconds),
        timedelta(seconds=settings.delivery_late_after_seconds),
    )
    service = DeliveryService(
        get(authority_outbox),
        get(database_stamps),
        get(reception_repository),
        DeliveryOutages(OutageRepository(get(opened_database)), wall),
        ReceptionByKind(cfdi, retenciones),
        wall,
        policy,
        container.metrics,
    )
    container.closing.callback(service.close)
    return service


def sat_cancellations(settings: Settings, schedule: ProviderSchedule | None, wall: Clock) -> SatCancellations:
    """Build the client of the cancellation services; a service without a URL rejects requests.

    Args:
        schedule: The certificates of the provider, which log in; None to call the services without a token.
    """
    transport, addresses = Transport(), sat_addresses(settings)

    def service(url: str) -> SoapService | None:
        return SoapService(url, transport, LIMITS) if url else None

    services = CancellationAddresses(
        service(addresses.sat_cancel_url),
        service(addresses.sat_acceptance_url),
        service(addresses.sat_relations_url),
        sat_access(settings, addresses.sat_cancel_login_url, schedule, transport, wall),
    )
    url = addresses.sat_retenciones_cancel_url
    retry_policy = RetryPolicy(settings.sat_timeout_seconds, settings.sat_attempts)
    access = sat_access(settings, addresses.sat_retenciones_cancel_login_url, schedule, transport, wall)
    retenciones = SatRetencionesCancellations(url, transport, CircuitBreaker(), retry_policy, access) if url else None
    return SatCancellations(services, CircuitBreaker(), retry_policy, retenciones)


def sat_access(
    settings: Settings, url: str, schedule: ProviderSchedule | None, transport: Transport, wall: Clock
) -> Access:
    """Build the token of a service; no token without a provider or an address of its login.

    Args:
        url: The address of the login; empty for none.
        schedule: The certificates of the provider.
        transport: Sends the requests.
    """
    if schedule is None or not url:
        return NO_ACCESS
    decoded = settings.sat_tokens == "decoded"
    return SatAccess(SoapService(url, transport), lambda: schedule.scheduled().login, wall, decoded=decoded)
