"""Construction of the clients of the SAT's web services."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from timbra.clock import Clock
from timbra.settings import Settings

if TYPE_CHECKING:
    from timbra.authority.sat.cancellation import SatCancellations
    from timbra.authority.sat.certificate_repository import SatCertificateRepository
    from timbra.authority.sat.soap import SoapService
    from timbra.authority.sat.status import StatusByKind
    from timbra.seals.certificates.trust_store import TrustStore


def sat_status(settings: Settings, wall: Clock) -> StatusByKind:
    """Build the clients of ConsultaCFDIService and of the page for retenciones."""
    from timbra.authority.sat.circuit_breaker import CircuitBreaker
    from timbra.authority.sat.retenciones_status import SatRetencionesStatus
    from timbra.authority.sat.retry import RetryPolicy
    from timbra.authority.sat.soap import SoapService
    from timbra.authority.sat.status import SatStatus, StatusByKind
    from timbra.authority.sat.status_cache import StatusCache
    from timbra.authority.sat.transport import Transport

    transport, url = Transport(), settings.sat_retenciones_status_url
    retry_policy = RetryPolicy(settings.sat_timeout_seconds, settings.sat_attempts)
    service = SoapService(settings.sat_status_url, transport)
    cfdi = SatStatus(service, StatusCache(wall), CircuitBreaker(), retry_policy)
    retenciones = SatRetencionesStatus(url, transport, StatusCache(wall), CircuitBreaker(), retry_policy)
    return StatusByKind(cfdi, retenciones if url else None)


def sat_cancellations(settings: Settings) -> SatCancellations:
    """Build the client of the cancellation services; a service without a URL rejects requests. None needs a login."""
    from timbra.authority.sat.cancellation import LIMITS, CancellationAddresses, SatCancellations
    from timbra.authority.sat.circuit_breaker import CircuitBreaker
    from timbra.authority.sat.retenciones_cancellation import SatRetencionesCancellations
    from timbra.authority.sat.retry import RetryPolicy
    from timbra.authority.sat.soap import SoapService
    from timbra.authority.sat.transport import Transport

    transport = Transport()

    def service(url: str) -> SoapService | None:
        return SoapService(url, transport, LIMITS) if url else None

    services = CancellationAddresses(
        service(settings.sat_cancel_url), service(settings.sat_acceptance_url), service(settings.sat_relations_url)
    )
    url = settings.sat_retenciones_cancel_url
    retry_policy = RetryPolicy(settings.sat_timeout_seconds, settings.sat_attempts)
    retenciones = SatRetencionesCancellations(url, transport, CircuitBreaker(), retry_policy) if url else None
    return SatCancellations(services, CircuitBreaker(), retry_policy, retenciones)


def certificate_repository(settings: Settings, folder: Path, trust: TrustStore) -> SatCertificateRepository | None:
    """Build the client of the certificate repository.

    Args:
        settings: Settings of the server.
        folder: Folder that stores downloaded certificates.
        trust: Trusted authorities, which must have issued the certificates.

    Returns:
        The client; None when the settings have no URL.
    """
    from timbra.authority.sat.certificate_repository import SatCertificateRepository
    from timbra.authority.sat.circuit_breaker import CircuitBreaker
    from timbra.authority.sat.retry import RetryPolicy
    from timbra.authority.sat.transport import Transport

    if not settings.sat_certificates_url:
        return None
    retry_policy = RetryPolicy(settings.sat_timeout_seconds, settings.sat_attempts)
    return SatCertificateRepository(
        settings.sat_certificates_url, folder, trust, Transport(), CircuitBreaker(), retry_policy
    )
