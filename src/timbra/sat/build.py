"""Construction of the clients of the SAT's services that need no provider."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from timbra.core.clock import Clock
from timbra.core.retry import RetryPolicy
from timbra.sat.addresses import sat_addresses
from timbra.sat.bulk_download_client import BulkAddresses
from timbra.sat.certificate_repository import SatCertificateRepository
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.retenciones_status import SatRetencionesStatus
from timbra.sat.soap import SoapService
from timbra.sat.status import SatStatus, StatusByKind
from timbra.sat.status_cache import StatusCache
from timbra.sat.transport import Transport
from timbra.seals.certificates.trust_store import TrustStore
from timbra.settings import Settings

LOGIN_PATH = "/Autenticacion/Autenticacion.svc"
REQUEST_PATH = "/SolicitaDescargaService.svc"
VERIFICATION_PATH = "/VerificaSolicitudDescargaService.svc"
DOWNLOAD_PATH = "/DescargaMasivaService.svc"


def sat_status(settings: Settings, wall: Clock, *, is_direct: bool = False) -> StatusByKind:
    """Build the clients of ConsultaCFDIService and of the page for retenciones.

    Args:
        wall: Dates answers.
        is_direct: Whether each call makes one attempt, also after failures, for callers that limit the rate themselves.
    """
    transport, addresses = Transport(), sat_addresses(settings)
    retry_policy = RetryPolicy(settings.sat_timeout_seconds, 1 if is_direct else settings.sat_attempts)
    new_breaker = partial(CircuitBreaker, sys.maxsize) if is_direct else CircuitBreaker
    service = SoapService(addresses.sat_status_url, transport)
    cfdi = SatStatus(service, StatusCache(wall), new_breaker(), retry_policy)
    url = addresses.sat_retenciones_status_url
    retenciones = SatRetencionesStatus(url, transport, StatusCache(wall), new_breaker(), retry_policy)
    return StatusByKind(cfdi, retenciones if url else None)


def bulk_addresses(settings: Settings) -> dict[str, BulkAddresses]:
    """Return the addresses of the bulk download by kind of document: `cfdi`, and `retenciones` if it is configured.

    Empty in a sandbox whose settings have no address: it must not send a login of its authority to the SAT.
    """
    found = sat_addresses(settings)
    if settings.environment == "sandbox" and "sat_bulk_request_url" not in settings.model_fields_set:
        return {}
    paths = (
        found.sat_bulk_authentication_url,
        found.sat_bulk_request_url,
        found.sat_bulk_verification_url,
        found.sat_bulk_download_url,
    )
    addresses = {"cfdi": BulkAddresses(*paths)}
    bases = [base.rstrip("/") for base in found.sat_bulk_retenciones_url.split()]
    is_default = "sat_bulk_retenciones_url" not in settings.model_fields_set
    if bases and not (settings.environment == "sandbox" and is_default):
        requests, packages = bases[0], bases[-1]
        retenciones = (requests + LOGIN_PATH, requests + REQUEST_PATH, requests + VERIFICATION_PATH)
        addresses["retenciones"] = BulkAddresses(*retenciones, packages + DOWNLOAD_PATH)
    return addresses


def certificate_repository(settings: Settings, folder: Path, trust: TrustStore) -> SatCertificateRepository | None:
    """Build the client of the certificate repository.

    Args:
        folder: Folder that stores downloaded certificates.
        trust: Trusted authorities, which must have issued the certificates.

    Returns:
        The client; None when the settings have no URL.
    """
    url = sat_addresses(settings).sat_certificates_url
    if not url:
        return None
    retry_policy = RetryPolicy(settings.sat_timeout_seconds, settings.sat_attempts)
    return SatCertificateRepository(url, folder, trust, Transport(), CircuitBreaker(), retry_policy)
