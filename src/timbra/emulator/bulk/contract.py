"""Names of the contract of the bulk download: namespaces, operations, actions, paths and host names."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

AUTHENTICATION_NAMESPACE = "http://DescargaMasivaTerceros.gob.mx"
NAMESPACE = "http://DescargaMasivaTerceros.sat.gob.mx"
AUTHENTICATION_ACTION = f"{AUTHENTICATION_NAMESPACE}/IAutenticacion/Autentica"
VERIFICATION = "VerificaSolicitudDescarga"
VERIFICATION_ACTION = f"{NAMESPACE}/IVerificaSolicitudDescargaService/{VERIFICATION}"
DOWNLOAD = "PeticionDescargaMasivaTercerosEntrada"
DOWNLOAD_ACTION = f"{NAMESPACE}/IDescargaMasivaTercerosService/Descargar"
AUTHENTICATION_PATH = "/Autenticacion/Autenticacion.svc"
REQUEST_PATH = "/SolicitaDescargaService.svc"
VERIFICATION_PATH = "/VerificaSolicitudDescargaService.svc"
DOWNLOAD_PATH = "/DescargaMasivaService.svc"
PATHS = (AUTHENTICATION_PATH, REQUEST_PATH, VERIFICATION_PATH, DOWNLOAD_PATH)


class DocumentRegister(StrEnum):
    """The registers, each of which has services and tokens of its own."""

    CFDI = "cfdi"
    RETENCIONES = "retenciones"

    @property
    def path(self) -> str:
        """The beginning of the paths of its services."""
        return f"/descarga-masiva/{self.value}"


class RequestOperation(StrEnum):
    """The operations of the request service."""

    ISSUED = "SolicitaDescargaEmitidos"
    RECEIVED = "SolicitaDescargaRecibidos"
    FOLIO = "SolicitaDescargaFolio"

    @property
    def action(self) -> str:
        return f"{NAMESPACE}/ISolicitaDescargaService/{self.value}"


class PackageType(StrEnum):
    """What the packages of a request have."""

    CFDI = "CFDI"
    METADATA = "Metadata"


HOSTS: Mapping[str, DocumentRegister] = MappingProxyType(
    {
        "cfdidescargamasivasolicitud.clouda.sat.gob.mx": DocumentRegister.CFDI,
        "cfdidescargamasiva.clouda.sat.gob.mx": DocumentRegister.CFDI,
        "retendescargamasivasolicitud.clouda.sat.gob.mx": DocumentRegister.RETENCIONES,
        "retendescargamasiva.clouda.sat.gob.mx": DocumentRegister.RETENCIONES,
    }
)
"""The SAT's hosts: a request with one of these names is served without the prefix of the path."""


def tag(name: str) -> str:
    """Return the qualified name of an element of the request, verification and download services."""
    return f"{{{NAMESPACE}}}{name}"
