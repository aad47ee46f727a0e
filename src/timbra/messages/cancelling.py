"""Details of rejections of cancellation requests: texts that published clients compare, and the project's own."""

from __future__ import annotations

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
    "1000": "Se recibió la respuesta.",
    "1001": "Nada espera esa respuesta.",
    "1002": "Ya se había respondido.",
}
"""EstatusUUID of requests (201 to 212) and of a receiver's answers."""

EXPIRED = "CR1308 - Certificado revocado o caduco"
SIGNATURE = "CR1309 - Firma mal formada o inválida"
MOTIVE = "CR1310. Clave de motivo de cancelación no válida"
NOT_CSD = "CA306 - La solicitud se firma con un certificado de sello digital (CSD), no con otro certificado."
NOT_SAT = "CA308 - El certificado no fue expedido por una autoridad certificadora del SAT."
OTHER_RFC = "CA303 - El certificado no es del RFC que hace la solicitud."

PENDINGS_FOUND = "CA1100 - Se recibío la respuesta de la petición de forma exitosa."
NO_PENDINGS = "CA1101 - No existen peticiones para el RFC Receptor."
RELATIONS_FOUND = "Se encontraron CFDI relacionados. "
NO_RELATIONS = "No se encontraron CFDI relacionados. "
NOT_A_PARTY = "El RFC no es emisor ni receptor del CFDI consultado. "
