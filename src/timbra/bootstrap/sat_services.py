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
    from timbra.authority.sat.status import SatStatus
    from timbra.seals.certificates.trust_store import TrustStore


def sat_status(settings: Settings, wall: Clock) -> SatStatus:
    """Build the client of ConsultaCFDIService."""
    from timbra.authority.sat.circuit_breaker import CircuitBreaker
    from timbra.authority.sat.retry import RetryPolicy
    from timbra.authority.sat.soap import SoapService
    from timbra.authority.sat.status import SatStatus
    from timbra.authority.sat.status_cache import StatusCache
    from timbra.authority.sat.transport import Transport

    service = SoapService(settings.sat_status_url, Transport())
    retry_policy = RetryPolicy(settings.sat_timeout_seconds, settings.sat_attempts)
    return SatStatus(service, StatusCache(wall), CircuitBreaker(), retry_policy)


def sat_cancellations(settings: Settings) -> SatCancellations:
    """Build the client of the cancellation services; a service without a URL rejects requests. None needs a login."""
    from timbra.authority.sat.cancellation import LIMITS, CancellationAddresses, SatCancellations
    from timbra.authority.sat.circuit_breaker import CircuitBreaker
    from timbra.authority.sat.retry import RetryPolicy
    from timbra.authority.sat.soap import SoapService
    from timbra.authority.sat.transport import Transport

    transport = Transport()

    def service(url: str) -> SoapService | None:
        return SoapService(url, transport, LIMITS) if url else None

    services = CancellationAddresses(
        service(settings.sat_cancel_url), service(settings.sat_acceptance_url), service(settings.sat_relations_url)
    )
    return SatCancellations(
        services, CircuitBreaker(), RetryPolicy(settings.sat_timeout_seconds, settings.sat_attempts)
    )


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
