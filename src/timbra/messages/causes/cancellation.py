"""Codes of cancellations, of answers of receivers, of pending requests and of related CFDI."""

from __future__ import annotations

import re
from collections.abc import Iterator

from timbra.messages import cancelling
from timbra.messages.causes.cause import Cause, ServiceCode

FOLIO = "Cancelación: EstatusUUID de un folio"
RESPONSE = "Aceptación o rechazo: EstatusUUID de un folio"
REQUEST = "Cancelación, aceptación y relaciones: detalle del rechazo de la solicitud"
MESSAGE = "Cancelación: mensaje del rechazo"
PENDING = "Peticiones pendientes del receptor"
RELATED = "CFDI relacionados: codStatus"

_PRINTED = re.compile(r"(C[AR]\d+)")
_NOTHING = "No hace falta otra solicitud."
_STATUS = "Consulte el estado del CFDI: puede estar cancelado o esperar la respuesta del receptor."
_REASON = "Envíe el motivo 01, 02, 03 o 04; el 01 con folioSustitucion y los otros sin él."
_CSD = "Firme con un CSD vigente del RFC que hace la solicitud, expedido por el SAT."
_AGAIN = "Repita la solicitud más tarde y consulte antes el estado del CFDI."
_SIGN = "Firme otra vez y envíe los mismos bytes, sin dar formato al XML."
_SHAPE = "Compare la solicitud con /docs/cancellation/ y envíe todos los campos."

FOLIOS: dict[str, Cause] = {
    "201": Cause("La autoridad recibió la solicitud; el CFDI se canceló o espera la aceptación del receptor.", _STATUS),
    "202": Cause("El CFDI ya estaba cancelado o ya tenía una solicitud en proceso.", f"{_NOTHING} {_STATUS}"),
    "203": Cause(
        "El RFC que firma la solicitud no es el emisor del CFDI.", "Firme con el CSD del emisor, y revise el UUID."
    ),
    "204": Cause(
        "Un CFDI vigente se relaciona con el que se quiere cancelar.",
        "Consulte los relacionados (/relations), cancele antes los que dependen de él, o sustitúyalo con el motivo 01.",
    ),
    "205": Cause(
        "El SAT no tiene el CFDI: el UUID es otro, o el CFDI se acaba de timbrar y aún no se registra.",
        "Revise el UUID; una retención se cancela en /retencion/cancel. Si el timbre es reciente repita hasta 72 horas "
        "después.",
    ),
    "206": Cause(
        "El servicio es el del sector primario y el CFDI no lo es.", "Use el servicio general de cancelación."
    ),
    "207": Cause("La solicitud no trae motivo o trae otro que 01, 02, 03 y 04.", _REASON),
    "208": Cause(
        "El folio que sustituye está mal formado.", "Envíe en folioSustitucion el UUID del CFDI que sustituye."
    ),
    "209": Cause("La solicitud trae folioSustitucion con un motivo distinto del 01.", _REASON),
    "210": Cause(
        "El CFDI es de un ejercicio cuyo plazo de cancelación terminó.",
        "Ya no se puede cancelar; corrija la operación con un CFDI de egreso.",
    ),
    "211": Cause("Terminó el plazo para cancelar la factura global.", "Corrija la operación con un CFDI de egreso."),
    "212": Cause(
        "El CFDI que sustituye no existe para la autoridad, está cancelado, o no se relaciona con el cancelado.",
        "Timbre antes el CFDI que sustituye, con TipoRelacion 04 y el UUID del que se cancela.",
    ),
}
RETENCIONES: dict[str, Cause] = {
    "1201": Cause("La autoridad recibió la solicitud y canceló la retención.", "No hace falta otra solicitud."),
    "1202": Cause("La retención ya estaba cancelada.", _NOTHING),
    "1203": Cause(
        "El RFC que firma la solicitud no es el emisor de la retención.",
        "Firme con el CSD del emisor, y revise el UUID.",
    ),
    "1205": Cause(
        "El SAT no tiene la retención: el UUID es otro o el de un CFDI, o la retención se acaba de timbrar.",
        "Revise el UUID; un CFDI se cancela en /cfdi33/cancel. Si el timbre es reciente repita más tarde.",
    ),
}
RESPONSES: dict[str, Cause] = {
    "1000": Cause("La respuesta del receptor se registró.", _NOTHING),
    "1001": Cause(
        "El CFDI no tiene una solicitud de cancelación que espere a ese receptor.",
        "Consulte las peticiones pendientes (/pendings) y revise el UUID y el RFC.",
    ),
    "1002": Cause("El receptor ya había aceptado o rechazado la solicitud.", f"{_NOTHING} {_STATUS}"),
}
MESSAGES: dict[str, Cause] = {
    "cancel-fields": Cause("Falta un campo de la solicitud o está mal formado; el detalle dice cuál.", _SHAPE),
    "cancel-xml": Cause(
        "El XML de la solicitud, su firma o su certificado fue rechazado; el detalle dice el código.",
        "Busque el código del detalle con `timbra explain`, corrija la solicitud y fírmela otra vez.",
    ),
    "cancel-failed": Cause(
        "La solicitud no se pudo formar ni enviar: no hay un CSD del RFC, o el RFC o el UUID de la ruta es inválido.",
        "El detalle dice cuál: cargue el CSD, o corrija el RFC o el UUID.",
    ),
    **dict.fromkeys(
        ("CA2000", "CA2100", "CA2300", "CR1001"),
        Cause(
            "El servicio del SAT no responde o falla de forma intermitente. Si el detalle dice que la solicitud quedó "
            "guardada, el servidor la envía de nuevo hasta por 72 horas.",
            _AGAIN,
        ),
    ),
    "CASD": Cause(
        "El acuse no dice nada de los folios de la solicitud, o el XML de la solicitud no se pudo leer.",
        "Revise que la solicitud traiga los folios. " + _AGAIN,
    ),
}
DETAILS: dict[str, Cause] = {
    "CA1000": Cause("El cuerpo no es un XML de Cancelacion, o está vacío.", _SHAPE),
    "CR1308": Cause("El certificado que firma está revocado o su vigencia terminó.", _CSD),
    "CR1309": Cause("La firma no corresponde a la solicitud: el XML cambió después de firmarse.", _SIGN),
    "CR1310": Cause("El motivo no es 01, 02, 03 o 04.", _REASON),
    "CR1301": Cause("El cuerpo no es un XML de Cancelacion de retenciones, o es de otro espacio de nombres.", _SHAPE),
    "CR1302": Cause("Un folio de la solicitud está mal formado.", _SHAPE),
    "CR1303": Cause("El RfcEmisor de la solicitud está mal formado.", _SHAPE),
    "CR1304": Cause("La Fecha de la solicitud falta o está mal formada.", _SHAPE),
    "CR1305": Cause("El certificado que firma es de otro RFC.", _CSD),
    "CR1307": Cause("La solicitud se firmó con una e.firma u otro certificado.", _CSD),
    "CR1311": Cause(
        "El motivo 01 no trae la retención que sustituye a la cancelada, o esta no se relaciona con ella.",
        "Timbre antes la retención que sustituye, con TipoRelacion 04 y el UUID de la que se cancela; envíe su UUID.",
    ),
    "CA303": Cause("El certificado que firma es de otro RFC.", _CSD),
    "CA306": Cause("La solicitud se firmó con una e.firma u otro certificado.", _CSD),
    "CA308": Cause("El certificado que firma no lo expidió el SAT.", _CSD),
}
"""Codes at the beginning of the details in `timbra.messages.cancelling`."""
SAT: dict[str, tuple[str, Cause]] = {
    "CA203": ("El CFDI no es del RFC que hace la solicitud.", FOLIOS["203"]),
    "CA204": ("El CFDI no se puede cancelar.", FOLIOS["204"]),
    "CA205": ("El CFDI no existe para la autoridad.", FOLIOS["205"]),
    "CA300": ("La autenticación es incorrecta.", Cause("El SAT no reconoce al proveedor que envía.", _AGAIN)),
    "CA301": ("El XML de la solicitud está mal formado.", Cause("La solicitud no cumple su esquema.", _SHAPE)),
    "CA302": ("El sello de la solicitud está mal formado.", DETAILS["CR1309"]),
    "CA304": ("El certificado está revocado o caduco.", DETAILS["CR1308"]),
    "CA305": ("El certificado es inválido.", DETAILS["CR1308"]),
    "CA307": (
        "El CFDI tiene un timbre previo.",
        Cause("El SAT rechazó el documento de la solicitud por un timbre previo.", _STATUS),
    ),
    "CA309": (
        "No hay una cancelación con ese folio.",
        Cause("El folio está mal formado o no tiene una solicitud.", "Revise el UUID."),
    ),
    "CA310": ("La solicitud no se firmó con un CSD.", DETAILS["CA306"]),
    "CA311": ("La clave del motivo no es válida.", DETAILS["CR1310"]),
    "CA312": ("El folio no se relaciona como el motivo pide.", FOLIOS["212"]),
    "CA314": ("La relación no es válida.", FOLIOS["212"]),
}
"""Codes with which the SAT rejects a whole request; the service prints CA before the SAT's number."""
PENDINGS: dict[str, tuple[str, Cause]] = {
    "CA1100": (
        cancelling.PENDINGS_FOUND,
        Cause("El receptor tiene peticiones que responder.", "Acéptelas o rechácelas."),
    ),
    "CA1101": (cancelling.NO_PENDINGS, Cause("Ninguna petición espera la respuesta de ese RFC.", _NOTHING)),
}
RELATIONS: dict[str, tuple[str, Cause]] = {
    "2000": (
        cancelling.RELATIONS_FOUND,
        Cause("El CFDI se relaciona con otros.", "Cancele antes los CFDI vigentes que dependen de él."),
    ),
    "2001": (cancelling.NO_RELATIONS, Cause("Ningún CFDI se relaciona con él.", _NOTHING)),
    "2002": (
        cancelling.NOT_A_PARTY,
        Cause(
            "El RFC que firma no es parte del CFDI.", "Firme con el CSD del emisor o del receptor, y revise el UUID."
        ),
    ),
}


def detail_messages() -> dict[str, str]:
    """Return the details of `timbra.messages.cancelling` that begin with a code, by that code."""
    found: dict[str, str] = {}
    for text in vars(cancelling).values():
        if isinstance(text, str) and (printed := _PRINTED.match(text)):
            found[printed[1]] = text
    return found


def cancellation_codes() -> Iterator[ServiceCode]:
    """Yield every code of cancellation, acceptance, pending requests and relations."""
    for causes, context in ((FOLIOS, FOLIO), (RETENCIONES, FOLIO), (RESPONSES, RESPONSE)):
        for code, cause in causes.items():
            yield ServiceCode(code, context, cancelling.CODES[code], *cause)
    texts = detail_messages()
    for code, cause in DETAILS.items():
        yield ServiceCode(code, REQUEST, texts[code], *cause)
    for entries, context in ((SAT, REQUEST), (PENDINGS, PENDING), (RELATIONS, RELATED)):
        for code, (message, cause) in entries.items():
            yield ServiceCode(code, context, message.strip(), *cause)
    for code in ("1100", "1101"):
        message, cause = PENDINGS[f"CA{code}"]
        yield ServiceCode(code, f"{PENDING}: codStatus", message, *cause)
