"""The SAT's bulk download (descarga masiva) and mail accounts, by which accounts receive their documents."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings

_CFDI = "https://cfdidescargamasivasolicitud.clouda.sat.gob.mx"
_CFDI_PACKAGES = "https://cfdidescargamasiva.clouda.sat.gob.mx"
_RETENCIONES = "https://retendescargamasivasolicitud.clouda.sat.gob.mx"
_RETENCIONES_PACKAGES = "https://retendescargamasiva.clouda.sat.gob.mx"
_LOGIN = "/Autenticacion/Autenticacion.svc"
_REQUEST, _VERIFICATION = "/SolicitaDescargaService.svc", "/VerificaSolicitudDescargaService.svc"
_DOWNLOAD = "/DescargaMasivaService.svc"


class BulkDownloadSettings(BaseSettings):
    """The SAT's bulk download (descarga masiva) and mail accounts, by which accounts receive their documents."""

    sat_bulk_authentication_url: str = Field(
        default=_CFDI + _LOGIN,
        description="URL of the login of the SAT's bulk download. A sandbox uses this address and the four others of "
        "the bulk download only when they are set.",
    )
    sat_bulk_request_url: str = Field(default=_CFDI + _REQUEST, description="URL of its service of requests.")
    sat_bulk_verification_url: str = Field(
        default=_CFDI + _VERIFICATION, description="URL of its service that verifies requests."
    )
    sat_bulk_download_url: str = Field(
        default=_CFDI_PACKAGES + _DOWNLOAD, description="URL of its service that delivers packages."
    )
    sat_bulk_retenciones_url: str = Field(
        default=f"{_RETENCIONES} {_RETENCIONES_PACKAGES}",
        description="Base URL of the same services for retenciones, or two of them: that of the packages is the "
        "second one. Empty: retenciones are not downloaded.",
    )
    sat_bulk_timeout_seconds: float = Field(
        default=120,
        gt=0,
        le=3600,
        description="Timeout of a call to the bulk download, in seconds; the download of a package may take five "
        "times as long.",
    )
    received_status_per_hour: int = Field(
        default=600,
        ge=0,
        le=100_000,
        description="Received documents whose status is queried at the SAT in an hour, to find cancellations that "
        "wait for an answer; 0: none.",
    )
    received_mail_seconds: float = Field(
        default=300,
        ge=10,
        le=86_400,
        description="Pause between readings of the mail accounts from which accounts receive documents, in seconds.",
    )
    received_mail_ca: Path | None = Field(
        default=None, description="PEM file of additional authorities for the certificates of those mail servers."
    )
