"""Sentences of the service's own refusals, in our wording."""

from __future__ import annotations

SERVICE: dict[str, str] = {
    "CO1000": "El servicio no pudo completar la operación.",
    "302": "El sello del emisor no es válido.",
    "303": "El RFC del certificado no corresponde al RFC del emisor.",
    "304": "El certificado del emisor está revocado o ya no está activo.",
    "305": "El certificado no está en la lista de contribuyentes obligados o la fecha queda fuera de su vigencia.",
    "306": "El certificado no es de tipo CSD.",
    "308": "El certificado no fue expedido por una autoridad certificadora del SAT.",
    "402": "El RFC del emisor no está en la lista de contribuyentes obligados o no tiene obligaciones vigentes.",
    "certificate-unreadable": "El certificado no se puede leer.",
    "key-cipher": "El cifrado de la llave privada no está soportado.",
    "key-mismatch": "La llave privada no corresponde al certificado.",
    "key-password": "La contraseña de la llave privada es incorrecta.",
    "key-unreadable": "La llave privada no se puede leer.",
    "master-key-invalid": "La llave maestra no es válida.",
    "signature-faulty": "La firma producida no es válida y se descartó.",
    "signer-unavailable": "El dispositivo de firma no está disponible.",
    "vault-damaged": "Un secreto guardado está dañado.",
    "vault-key-unknown": "Un secreto guardado está cifrado con una llave maestra que no está configurada.",
    "TB4000": "La petición HTTP está mal formada.",
    "TB4001": "El cuerpo de la petición rebasa el tamaño permitido.",
    "TB4002": "El cuerpo de la petición llegó incompleto.",
    "TB4003": "El cuerpo multipart está mal formado.",
    "TB4004": "El cuerpo JSON está mal formado.",
    "TB4005": "Un parámetro de la petición no es válido.",
    "TB4006": "Este servicio no se ofrece.",
    "TB4010": "La operación pide el token de un administrador.",
    "TB4040": "La ruta no existe.",
    "TB4041": "No se encuentra lo que se pide.",
}
