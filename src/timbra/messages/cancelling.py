"""Details of refusals around cancellation: texts that published clients compare, our own wording beside them."""

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
