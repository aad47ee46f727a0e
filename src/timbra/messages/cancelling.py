"""Details of rejections of cancellation requests: texts that published clients compare, and the project's own."""

from __future__ import annotations

from dataclasses import dataclass

CSD_MISSING = "Son necesarios el .Cer y el .Key en formato B64, la contraseña, el RFC y el UUID."
PFX_MISSING = "El archivo PFX es requerido."
PFX_FIELDS = "Son necesarios el archivo PFX en base64, su contraseña, el RFC y el UUID."
BAD_UUID = "El UUID proporcionado es invalido. Favor de verificar."
BAD_PATH_UUID = "El uuid proporcionado es inválido. Favor de verificar"
BAD_RFC = "El Rfc proporcionado es inválido. Favor de verificar."
BAD_XML = "CA1000 - El xml proporcionado está mal formado o es inválido. There is an error in XML document (0, 0)."
NOT_BASE64 = "El certificado, la llave y el PFX deben venir en base64."
SUBSTITUTE_MISSING = "El motivo 01 requiere el folio del CFDI que sustituye al cancelado (folioSustitucion)."
BAD_ANSWER = "La acción debe ser Aceptacion o Rechazo."
MANY_ANSWERS = "Se admiten hasta 500 folios en una solicitud."

CODES = {
    "201": "Solicitud de cancelación recibida.",
    "202": "El CFDI ya estaba cancelado o su cancelación ya estaba solicitada.",
    "203": "El CFDI no es del emisor que pide cancelarlo.",
    "204": "El CFDI no se puede cancelar: otro CFDI vigente se relaciona con él.",
    "205": "El CFDI no existe para la autoridad.",
    "206": "El CFDI no es del sector primario.",
    "207": "Falta el motivo o no es válido.",
    "208": "El folio de sustitución no es válido.",
    "209": "Solo el motivo 01 lleva folio de sustitución.",
    "210": "Ya pasó el plazo del ejercicio para cancelar.",
    "211": "Ya pasó el plazo para cancelar una factura global.",
    "212": "El CFDI que sustituye no existe, no está vigente o no se relaciona con el cancelado.",
    "1201": "Solicitud de cancelación de la retención recibida.",
    "1202": "La retención ya estaba cancelada.",
    "1203": "La retención no es del emisor que pide cancelarla.",
    "1205": "La retención no existe para la autoridad.",
    "1000": "Se recibió la respuesta.",
    "1001": "Nada espera esa respuesta.",
    "1002": "Ya se había respondido.",
}
"""EstatusUUID of requests (201 to 212 for CFDI, 1201 to 1205 for retenciones) and of a receiver's answers."""

EXPIRED = "CR1308 - Certificado revocado o caduco"
SIGNATURE = "CR1309 - Firma mal formada o inválida"
MOTIVE = "CR1310. Clave de motivo de cancelación no válida"
NOT_CSD = "CA306 - La solicitud se firma con un certificado de sello digital (CSD), no con otro certificado."
NOT_SAT = "CA308 - El certificado no fue expedido por una autoridad certificadora del SAT."
OTHER_RFC = "CA303 - El certificado no es del RFC que hace la solicitud."

RETENCIONES_XML = "CR1301 - El XML de la solicitud está mal formado o no es una Cancelacion de retenciones."
RETENCIONES_FOLIO = "CR1302 - Un folio de la solicitud no es un UUID."
RETENCIONES_RFC = "CR1303 - El RfcEmisor de la solicitud no es un RFC."
RETENCIONES_DATE = "CR1304 - La Fecha de la solicitud está mal formada."
RETENCIONES_OTHER_RFC = "CR1305 - El certificado no es del emisor."
RETENCIONES_NOT_CSD = "CR1307 - La solicitud se firma con un certificado de sello digital (CSD), no con e.firma."
RETENCIONES_UNRELATED = (
    "CR1311 - El motivo 01 lleva el folio de otra retención vigente del emisor, que se relaciona con la cancelada por "
    "el tipo 04; los demás motivos no llevan folio de sustitución."
)

Rejection = tuple[str, str]
"""Code of the service, and detail."""


@dataclass(frozen=True, slots=True)
class RequestRejections:
    """The rejections of whole requests of one kind of document.

    Attributes:
        unreadable: the XML is not such a request.
        folio: a folio of the XML is malformed.
        rfc: RfcEmisor of the XML is malformed.
        date: Fecha of the XML is malformed.
        substitute: motive 01 without a substitute.
        expired, signature, motive, not_csd, not_sat, other_rfc: details of "cancel-xml".
        unrelated: detail of "cancel-xml": the substitute is not related as the motive demands.
    """

    unreadable: Rejection = ("cancel-failed", BAD_XML)
    folio: Rejection = ("cancel-fields", BAD_UUID)
    rfc: Rejection = ("cancel-xml", OTHER_RFC)
    date: Rejection = ("cancel-failed", BAD_XML)
    substitute: Rejection = ("cancel-fields", SUBSTITUTE_MISSING)
    expired: str = EXPIRED
    signature: str = SIGNATURE
    motive: str = MOTIVE
    not_csd: str = NOT_CSD
    not_sat: str = NOT_SAT
    other_rfc: str = OTHER_RFC
    unrelated: str = ""


CFDI = RequestRejections()
RETENCIONES = RequestRejections(
    unreadable=("CASD", RETENCIONES_XML),
    folio=("cancel-xml", RETENCIONES_FOLIO),
    rfc=("cancel-xml", RETENCIONES_RFC),
    date=("cancel-xml", RETENCIONES_DATE),
    substitute=("cancel-xml", RETENCIONES_UNRELATED),
    not_csd=RETENCIONES_NOT_CSD,
    other_rfc=RETENCIONES_OTHER_RFC,
    unrelated=RETENCIONES_UNRELATED,
)
"""Source: Anexo 20 of RMF, rubro II.C, EstatusPeticion 1301 to 1311."""

PENDINGS_FOUND = "CA1100 - Se recibío la respuesta de la petición de forma exitosa."
NO_PENDINGS = "CA1101 - No existen peticiones para el RFC Receptor."
RELATIONS_FOUND = "Se encontraron CFDI relacionados. "
NO_RELATIONS = "No se encontraron CFDI relacionados. "
NOT_A_PARTY = "El RFC no es emisor ni receptor del CFDI consultado. "
