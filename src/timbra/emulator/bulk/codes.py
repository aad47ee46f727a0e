"""Codes of the bulk download with the messages that the SAT's service was seen to return.

Source: shared recordings of the service; the documents of the SAT write some of them with other accents.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

WRONG_USER = "300"
MALFORMED = "301"
BAD_SIGNATURE = "302"
OTHER_RFC = "303"
CERTIFICATE_EXPIRED = "304"
WRONG_CERTIFICATE = "305"
UNCONTROLLED = "404"
ACCEPTED = "5000"
THIRD_PARTY = "5001"
EXHAUSTED = "5002"
TOO_MANY = "5003"
NOT_FOUND = "5004"
DUPLICATE = "5005"
PACKAGE_EXPIRED = "5007"
DOWNLOADS_EXHAUSTED = "5008"
CANCELLED_DOCUMENT = "5012"
MESSAGES: Mapping[str, str] = MappingProxyType(
    {
        WRONG_USER: "Usuario No Válido",
        MALFORMED: "XML Mal Formado",
        BAD_SIGNATURE: "Sello Mal Formado",
        OTHER_RFC: "Sello no corresponde con RfcSolicitante",
        CERTIFICATE_EXPIRED: "Certificado Revocado o Caduco",
        WRONG_CERTIFICATE: "Certificado Inválido",
        UNCONTROLLED: "Error no controlado.",
        ACCEPTED: "Solicitud Aceptada",
        THIRD_PARTY: "Tercero no autorizado",
        EXHAUSTED: "Se han agotado las solicitudes de por vida",
        TOO_MANY: "Tope máximo de elementos de la consulta",
        NOT_FOUND: "No se encontro la informacion",
        DUPLICATE: "Ya se tiene una solicitud registrada",
        "5006": "Error interno en el proceso",
        PACKAGE_EXPIRED: "No existe el paquete solicitado",
        DOWNLOADS_EXHAUSTED: "Maximo de descargas permitidas.",
        "5011": "Límite de descargas por folio por día",
        CANCELLED_DOCUMENT: "No se permite la descarga de xml que se encuentren cancelados",
    }
)
INVALID_REQUEST = "XML Mal Formado:La solicitud de descarga no es válida. "
DATES_REVERSED = "La fecha inicial es mayor o igual a la fecha final."
ONLY_IN_FORCE = "No se permite la descarga de xml que se encuentren cancelados."


class BulkDownloadError(Exception):
    """A call that is answered with another code than 5000."""

    def __init__(self, code: str, message: str = "") -> None:
        """Create the error.

        Args:
            code: CodEstatus.
            message: Mensaje; that of the code when empty.
        """
        self.code = code
        self.message = message or MESSAGES.get(code, "")
        super().__init__(f"{code} {self.message}")


def invalid_request(reason: str) -> BulkDownloadError:
    """Return the error of a request whose content breaks a rule."""
    return BulkDownloadError(MALFORMED, INVALID_REQUEST + reason)
