"""Texts that published clients compare or search literally; they must not be changed.

Keys in lower case are conditions without a printed code. `{detail}` is replaced by the detail of the rejection.
"""

from __future__ import annotations

LITERAL: dict[str, str] = {
    "AU2000": "AU2000 - El usuario y/o contraseña son inválidos, no se puede autenticar el servicio.",
    "AU4000": "AU4000 - No fue posible validar el token.",
    "AU4101": "AU4101 - El token proporcionado viene vacio.",
    "token-parts": "El token debe contener 3 partes",
    "token-signature": "Firma inválidad. Se esperaba otra firma para este token",
    "user-email-taken": "El email '{detail}' ya esta en uso.",
    "user-has-stamps": "El usuario no se puede eliminar, tiene saldo de {detail}",
    "user-removed": "El usuario ya ha sido previamente removido",
    "user-unchanged": "No es posible actualizar, los datos enviados son identicos a los actuales",
    "user-unknown": "El usuario no fue encontrado.",
    "user-unlimited": "El usuario no se puede eliminar, tiene timbrado ilimitado",
    "xml-missing": "Xml CFDI33 no proporcionado o viene vacio.",
    "zip-concepts": (
        "En este path sólo es posible timbrar facturas que tengan entre 10000 y 120000 nodos cfdi:Concepto."
    ),
    "email-invalid": "El header email no tiene un correo válido (email).",
    "email-too-many": "El header email contiene más de 10 correos.",
    "301": "301 - La estructura del comprobante es incorrecta.",
    "307": "307. El comprobante contiene un timbre previo.",
    "401": ("401 - El rango de la fecha de generación no debe de ser mayor a 72 horas para la emisión del timbre."),
    "T307": "T307. El comprobante contiene un timbre previo.",
    "T401": "401 - El rango de la fecha de generación no debe de ser mayor a 72 horas para la emisión del timbre.",
    "CFDI3307": "CFDI3307 - Timbre duplicado. El customId proporcionado está duplicado.",
    "CFDI40102": (
        "CFDI40102 - El resultado de la digestión debe ser igual al resultado de la desencripción del sello."
    ),
    "CFDI33102": (
        "CFDI33102 - El resultado de la digestión debe ser igual al resultado de la desencripción del sello."
    ),
    "csd-missing": "CO1000 - No hay un CSD activo del emisor para sellar el comprobante.",
    "certificates": "Certificados",
    "lookup-failed": "Error en la consulta.",
    "pdf-unknown": "No se encontro el UUID.",
    "storage-unknown": "No se encuentra registro del timbrado.",
    "cancel-fields": "CACFDI33 - Problemas con los campos.",
    "cancel-xml": "CACFDI33 - Problemas con el xml.",
    "cancel-failed": "CACFDI33 - Error no controlado",
    "CASD": "CASD - Acuse sin descripción específica.",
}

DETAIL_CODES: dict[str, str] = {"user-email-taken": "AU1001"}
"""The vendor's code, with its text as detail, for a literal message that has no code."""
