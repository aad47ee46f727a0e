"""Checks of the addresses of the SAT for `timbra provider check`: unset ones, dead ones, and the uploads."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from timbra.core.checks import CheckResult, CheckState, run_check
from timbra.core.errors import ServiceError

if TYPE_CHECKING:
    from timbra.sat.addresses import SatAddresses
    from timbra.sat.transport import Transport

OPERATIONS = {
    "sat_reception_url": "la recepción de CFDI",
    "sat_cancel_url": "la cancelación de CFDI",
    "sat_acceptance_url": "la aceptación de cancelaciones y las solicitudes pendientes",
    "sat_relations_url": "la consulta de CFDI relacionados",
    "sat_status_url": "la consulta del estado de CFDI",
    "sat_certificates_url": "la descarga de certificados de otros proveedores",
    "sat_retenciones_reception_url": "la entrega de retenciones",
    "sat_retenciones_cancel_url": "la cancelación de retenciones",
    "sat_retenciones_status_url": "la consulta del estado de retenciones",
}
"""What an address is for, and what its absence disables."""
MAX_BYTES = 1024 * 1024
GATEWAY_ERRORS = frozenset({502, 503, 504})
ABSENT = frozenset({404, 410})
NOT_ADMITTED = frozenset({401, 403, 404})
PROBE = "timbra-check.xml"


def unset_addresses(addresses: SatAddresses) -> Iterator[CheckResult]:
    """Yield a warning for each address that is not set, with the operation that it disables."""
    for name, operation in OPERATIONS.items():
        if not getattr(addresses, name):
            detail = f"Falta TIMBRA_{name.upper()}: está desactivada."
            yield CheckResult(operation, CheckState.WARNING, detail)


def answering_addresses(addresses: SatAddresses, transport: Transport, seconds: float) -> Iterator[CheckResult]:
    """Yield for each address that is set whether a server answers there; nothing is sent but an empty request."""
    for name, operation in OPERATIONS.items():
        address: str = getattr(addresses, name)
        if address:
            yield run_check(operation, lambda name=name, url=address: _answers(name, url, transport, seconds))  # type: ignore[misc]


def _answers(name: str, address: str, transport: Transport, seconds: float) -> str:
    try:
        status = transport.exchange("HEAD", address, seconds=seconds, max_bytes=MAX_BYTES).status
    except ServiceError as error:
        raise ServiceError(error.code, f"{address}: {error.detail or error.code}") from error
    # The repository of certificates has files below its address only.
    if status in GATEWAY_ERRORS or (status in ABSENT and name != "sat_certificates_url"):
        raise ServiceError("authority-down", f"{address}: estado HTTP {status}.")
    return address


def upload_admitted(container: str, access_signature: str, transport: Transport, seconds: float) -> str:
    """Return the address of the container when it admits the access signature; nothing is stored.

    The request has no type of blob: the storage first verifies the signature, and then rejects the request.

    Raises:
        ServiceError: "delivery-rejected" when it does not; "authority-down" without an answer.
    """
    from timbra.sat.blob_upload import BlobContainer

    blobs = BlobContainer(container, access_signature)
    url = f"{blobs.address.rstrip('/')}/{PROBE}{blobs.query}"
    try:
        response = transport.exchange(
            "PUT", url, seconds=seconds, max_bytes=MAX_BYTES, content=b"", headers={"x-ms-version": "2011-08-18"}
        )
    except ServiceError as error:
        raise ServiceError(error.code, f"{container}: {error.detail or error.code}") from error
    if response.status in NOT_ADMITTED:
        raise ServiceError(
            "delivery-rejected",
            f"{container} no admite TIMBRA_SAT_ACCESS_SIGNATURE (estado HTTP {response.status}).",
        )
    if response.status in GATEWAY_ERRORS:
        raise ServiceError("authority-down", f"{container}: estado HTTP {response.status}.")
    return container


def signature_expiry(access_signature: str, now: datetime) -> str:
    """Return until when an access signature is valid, as its parameter `se` says.

    Raises:
        ServiceError: "provider-settings" when it has expired, or is no access signature.
    """
    values = parse_qs(access_signature.strip().lstrip("?").replace("|", "&"))
    if "sig" not in values:
        raise ServiceError("provider-settings", "TIMBRA_SAT_ACCESS_SIGNATURE no tiene el parámetro sig.")
    try:
        until = datetime.fromisoformat(values["se"][0])
    except (KeyError, ValueError):
        return "sin fecha de vencimiento"
    until = until if until.tzinfo is not None else until.replace(tzinfo=UTC)
    if until <= now:
        raise ServiceError("provider-settings", f"TIMBRA_SAT_ACCESS_SIGNATURE venció el {until:%Y-%m-%d}.")
    return f"vigente hasta {until:%Y-%m-%d}"
