"""The addresses of the SAT's services: those of the settings, or in a rehearsal those of the emulator."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from timbra.core.errors import ServiceError

if TYPE_CHECKING:
    from timbra.settings import Settings

SAT_HOSTS = (".sat.gob.mx", ".blob.core.windows.net", ".cloudapp.net", ".cloudapp.azure.com")
"""Ends of the names of hosts on which the SAT has or had services."""
_EMULATED = {
    "sat_status_url": "/ConsultaCFDIService.svc",
    "sat_retenciones_status_url": "/retenciones/Home/ConsultaRetencion",
    "sat_certificates_url": "/rccf",
    "sat_reception_login_url": "/Seguridad/Autenticacion.svc",
    "sat_reception_url": "/Recepcion/CFDI40/RecibeCFDIService.svc",
    "sat_cancel_login_url": "/Autenticacion/Autenticacion.svc",
    "sat_cancel_url": "/Cancelacion/CancelaCFDService.svc",
    "sat_acceptance_url": "/AceptacionRechazo/AceptacionRechazoService.svc",
    "sat_relations_url": "/ConsultaRelacionados/CfdiConsultaRelacionadosService.svc",
    "sat_retenciones_login_url": "/retenciones/Seguridad/Autenticacion.svc",
    "sat_retenciones_reception_url": "/retenciones/api/Recibe",
    "sat_retenciones_cancel_login_url": "/retenciones/Autenticacion/Autenticacion.svc",
    "sat_retenciones_cancel_url": "/retenciones/api/cancelauno",
    "sat_bulk_authentication_url": "/descarga-masiva/cfdi/Autenticacion/Autenticacion.svc",
    "sat_bulk_request_url": "/descarga-masiva/cfdi/SolicitaDescargaService.svc",
    "sat_bulk_verification_url": "/descarga-masiva/cfdi/VerificaSolicitudDescargaService.svc",
    "sat_bulk_download_url": "/descarga-masiva/cfdi/DescargaMasivaService.svc",
    "sat_bulk_retenciones_url": "/descarga-masiva/retenciones",
}
_WITH_DOCUMENTS = (
    "sat_reception_login_url",
    "sat_reception_url",
    "sat_container_url",
    "sat_cancel_login_url",
    "sat_retenciones_login_url",
    "sat_retenciones_reception_url",
    "sat_retenciones_cancel_login_url",
    "sat_bulk_authentication_url",
    "sat_bulk_request_url",
    "sat_bulk_verification_url",
    "sat_bulk_download_url",
    "sat_bulk_retenciones_url",
)
"""Addresses to which documents, signed logins or tokens are sent."""


@dataclass(frozen=True, slots=True)
class SatAddresses:
    """Addresses by the name of their setting; empty for a service that is disabled."""

    sat_status_url: str
    sat_retenciones_status_url: str
    sat_certificates_url: str
    sat_reception_login_url: str
    sat_reception_url: str
    sat_container_url: str
    sat_cancel_login_url: str
    sat_cancel_url: str
    sat_acceptance_url: str
    sat_relations_url: str
    sat_retenciones_login_url: str
    sat_retenciones_reception_url: str
    sat_retenciones_cancel_login_url: str
    sat_retenciones_cancel_url: str
    sat_bulk_authentication_url: str
    sat_bulk_request_url: str
    sat_bulk_verification_url: str
    sat_bulk_download_url: str
    sat_bulk_retenciones_url: str


def sat_addresses(settings: Settings) -> SatAddresses:
    """Return the addresses of an environment.

    Raises:
        ServiceError: "CO1000" for an address of the SAT in a rehearsal, and for one without HTTPS to which production
            would send documents or tokens.
    """
    names = [field.name for field in fields(SatAddresses)]
    if settings.environment == "rehearsal":
        found = {name: _rehearsed(settings, name) for name in names}
        _require(found, names, is_wrong=_is_of_the_sat, reason="es del SAT; un ensayo usa un emulador")
        return SatAddresses(**found)
    found = {name: getattr(settings, name) for name in names}
    if settings.environment == "production":
        _require(found, _WITH_DOCUMENTS, is_wrong=_is_plain, reason="no es HTTPS")
    return SatAddresses(**found)


def _rehearsed(settings: Settings, name: str) -> str:
    """Return the address that a setting gives, or that of the emulator."""
    if name in settings.model_fields_set:
        return str(getattr(settings, name))
    base = settings.rehearsal_sat_url.rstrip("/")
    path = _EMULATED.get(name, f"/blob/{settings.provider_rfc.lower()}")
    return base + path if base else ""


def _require(found: dict[str, str], names: Iterable[str], *, is_wrong: Callable[[str], bool], reason: str) -> None:
    wrong = [f"TIMBRA_{name.upper()} {reason}." for name in names if any(map(is_wrong, found[name].split()))]
    if wrong:
        raise ServiceError("CO1000", " ".join(wrong))


def _is_of_the_sat(address: str) -> bool:
    return ("." + (urlsplit(address).hostname or "").rstrip(".").lower()).endswith(SAT_HOSTS)


def _is_plain(address: str) -> bool:
    return urlsplit(address).scheme != "https"


def require_delivery(settings: Settings, addresses: SatAddresses) -> None:
    """Check that stamps can be delivered: a provider must not stamp what it cannot deliver.

    Raises:
        ServiceError: "provider-settings" without an address or an access signature.
    """
    needed = {
        "sat_reception_login_url": addresses.sat_reception_login_url,
        "sat_reception_url": addresses.sat_reception_url,
        "sat_container_url": addresses.sat_container_url,
        "sat_access_signature": settings.sat_access_signature,
    }
    missing = [f"Falta TIMBRA_{name.upper()}." for name, value in needed.items() if not value]
    if missing:
        raise ServiceError("provider-settings", " ".join(missing))
