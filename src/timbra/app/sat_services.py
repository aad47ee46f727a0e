"""Construction of the clients of the SAT's web services."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from timbra.core.clock import Clock
from timbra.settings import Settings

if TYPE_CHECKING:
    from timbra.core.metrics import MetricsRegistry
    from timbra.delivery.deliveries import AuthorityOutbox
    from timbra.delivery.outages import DeliveryOutages
    from timbra.delivery.receptions import ReceptionRepository
    from timbra.delivery.sat_delivery import DeliveryService
    from timbra.provider.identity import ProviderSchedule
    from timbra.sat.access_token import Access
    from timbra.sat.cancellation import SatCancellations
    from timbra.sat.certificate_repository import SatCertificateRepository
    from timbra.sat.soap import SoapService
    from timbra.sat.status import StatusByKind
    from timbra.sat.transport import Transport
    from timbra.seals.certificates.trust_store import TrustStore
    from timbra.stamps.repository import DatabaseStamps


def sat_status(settings: Settings, wall: Clock, *, is_direct: bool = False) -> StatusByKind:
    """Build the clients of ConsultaCFDIService and of the page for retenciones.

    Args:
        wall: Dates answers.
        is_direct: Whether each call makes one attempt, also after failures, for callers that limit the rate themselves.
    """
    from timbra.sat.addresses import sat_addresses
    from timbra.sat.circuit_breaker import CircuitBreaker
    from timbra.sat.retenciones_status import SatRetencionesStatus
    from timbra.sat.retry import RetryPolicy
    from timbra.sat.soap import SoapService
    from timbra.sat.status import SatStatus, StatusByKind
    from timbra.sat.status_cache import StatusCache
    from timbra.sat.transport import Transport

    transport, addresses = Transport(), sat_addresses(settings)
    retry_policy = RetryPolicy(settings.sat_timeout_seconds, 1 if is_direct else settings.sat_attempts)
    new_breaker = partial(CircuitBreaker, sys.maxsize) if is_direct else CircuitBreaker
    service = SoapService(addresses.sat_status_url, transport)
    cfdi = SatStatus(service, StatusCache(wall), new_breaker(), retry_policy)
    url = addresses.sat_retenciones_status_url
    retenciones = SatRetencionesStatus(url, transport, StatusCache(wall), new_breaker(), retry_policy)
    return StatusByKind(cfdi, retenciones if url else None)


def sat_access(
    settings: Settings, url: str, schedule: ProviderSchedule | None, transport: Transport, wall: Clock
) -> Access:
    """Build the token of a service; no token without a provider or an address of its login.

    Args:
        url: The address of the login; empty for none.
        schedule: The certificates of the provider.
        transport: Sends the requests.
    """
    from timbra.sat.access_token import NO_ACCESS, SatAccess
    from timbra.sat.soap import SoapService

    if schedule is None or not url:
        return NO_ACCESS
    decoded = settings.sat_tokens == "decoded"
    return SatAccess(SoapService(url, transport), lambda: schedule.scheduled().login, wall, decoded=decoded)


def sat_cancellations(settings: Settings, schedule: ProviderSchedule | None, wall: Clock) -> SatCancellations:
    """Build the client of the cancellation services; a service without a URL rejects requests.

    Args:
        schedule: The certificates of the provider, which log in; None to call the services without a token.
    """
    from timbra.sat.addresses import sat_addresses
    from timbra.sat.cancellation import LIMITS, CancellationAddresses, SatCancellations
    from timbra.sat.circuit_breaker import CircuitBreaker
    from timbra.sat.retenciones_cancellation import SatRetencionesCancellations
    from timbra.sat.retry import RetryPolicy
    from timbra.sat.soap import SoapService
    from timbra.sat.transport import Transport

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


def sat_delivery(
    settings: Settings,
    schedule: ProviderSchedule,
    outbox: AuthorityOutbox,
    stamps: DatabaseStamps,
    receptions: ReceptionRepository,
    outages: DeliveryOutages,
    wall: Clock,
    metrics: MetricsRegistry,
) -> DeliveryService:
    """Build the delivery of stamps.

    Args:
        schedule: The certificates of the provider, which log in.
        outages: Since when a service does not answer.

    Raises:
        ServiceError: "provider-settings" without an address or an access signature; "CO1000" for an address that the
            environment must not use.
    """
    from datetime import timedelta

    from timbra.delivery.sat_delivery import DeliveryPolicy, DeliveryService, ReceptionByKind
    from timbra.sat.addresses import require_delivery, sat_addresses
    from timbra.sat.blob_upload import BlobContainer, BlobUpload
    from timbra.sat.circuit_breaker import CircuitBreaker
    from timbra.sat.reception import SatReception
    from timbra.sat.retenciones_reception import SatRetencionesReception
    from timbra.sat.retry import RetryPolicy
    from timbra.sat.soap import SoapService
    from timbra.sat.transport import Transport

    addresses, transport = sat_addresses(settings), Transport()
    require_delivery(settings, addresses)
    # A delivery has two calls, upload and announcement, which share its time.
    retry_policy = RetryPolicy(settings.delivery_timeout_seconds / 2, settings.sat_attempts)
    container = BlobContainer(addresses.sat_container_url, settings.sat_access_signature)
    cfdi = SatReception(
        BlobUpload(container, transport),
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
    authority = ReceptionByKind(cfdi, retenciones)
    return DeliveryService(outbox, stamps, receptions, outages, authority, wall, policy, metrics)


def certificate_repository(settings: Settings, folder: Path, trust: TrustStore) -> SatCertificateRepository | None:
    """Build the client of the certificate repository.

    Args:
        folder: Folder that stores downloaded certificates.
        trust: Trusted authorities, which must have issued the certificates.

    Returns:
        The client; None when the settings have no URL.
    """
    from timbra.sat.addresses import sat_addresses
    from timbra.sat.certificate_repository import SatCertificateRepository
    from timbra.sat.circuit_breaker import CircuitBreaker
    from timbra.sat.retry import RetryPolicy
    from timbra.sat.transport import Transport

    url = sat_addresses(settings).sat_certificates_url
    if not url:
        return None
    retry_policy = RetryPolicy(settings.sat_timeout_seconds, settings.sat_attempts)
    return SatCertificateRepository(url, folder, trust, Transport(), CircuitBreaker(), retry_policy)
