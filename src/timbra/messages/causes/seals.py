"""Causes and remedies of the rules of certificate, seal, stamp and declarations, whose documents have no example."""

from __future__ import annotations

from timbra.messages.causes.cause import Cause

_LCO = "Importe una LCO reciente (`timbra lists import`) y revise en el SAT el estado del certificado."
_CSD = "Selle con un CSD vigente del emisor, expedido por el SAT."
_STAMP = "El timbre no se puede corregir: pida al emisor el XML timbrado original."
_NAMESPACES = "Declare los espacios de nombres una vez, en Comprobante y con los prefijos del SAT, y selle otra vez."
_COMPLEMENT = "Declare en Comprobante el espacio de nombres y el esquema del complemento, como lo indica su estándar."

_SEAL = Cause(
    "El documento cambió después de sellarse, se selló con otra cadena original u otra llave, o Certificado es otro.",
    "Selle otra vez, después del último cambio, con SHA-256 y la cadena original de la versión.",
)
_CERTIFICATE = Cause(
    "Certificado no es el contenido del archivo .cer en base64, o NoCertificado no es su número de serie.",
    "Escriba en Certificado el archivo .cer completo en base64 y en NoCertificado sus 20 dígitos.",
)
_DECLARATION = Cause("El documento declara espacios de nombres de otra forma que el SAT pide.", _NAMESPACES)
_COMPLEMENT_DECLARATION = Cause(
    "El espacio de nombres, el prefijo o el esquema del complemento no está declarado donde corresponde.", _COMPLEMENT
)
_ALTERED_STAMP = Cause("El timbre se alteró, es de otro comprobante o se escribió a mano.", _STAMP)

SEALS: dict[str, Cause] = {
    "302": Cause("El sello no verifica con la llave pública de Certificado.", _SEAL.remedy),
    "303": Cause(
        "El CSD es de un RFC distinto del emisor del comprobante.",
        "Selle con el CSD del emisor, o corrija Emisor/@Rfc.",
    ),
    "304": Cause("La LCO dice que el certificado está revocado o caduco.", f"{_CSD} {_LCO}"),
    "305": Cause(
        "La LCO no tiene el certificado, o Fecha está fuera de su vigencia; un CSD nuevo tarda en publicarse.",
        f"Espere hasta 72 horas después de tramitar el CSD, o selle con otro. {_LCO}",
    ),
    "306": Cause("El certificado es una e.firma (FIEL) y no un CSD.", _CSD),
    "308": Cause(
        "Ninguna autoridad certificadora del SAT firmó el certificado.", f"{_CSD} No use certificados de prueba."
    ),
    "401": Cause(
        "Fecha es de hace más de 72 horas o está en el futuro, en la hora local de LugarExpedicion.",
        "Escriba en Fecha la hora local de LugarExpedicion en el momento de emitir, selle y timbre dentro de 72 horas.",
    ),
    "402": Cause(
        "El RFC del emisor no está en la LCO o su ValidezObligaciones es 0.",
        f"El emisor regulariza sus obligaciones ante el SAT. {_LCO}",
    ),
    **dict.fromkeys(("CFDI40102", "CFDI33102"), _SEAL),
    **dict.fromkeys(("CFDI40106", "CFDI33105"), _CERTIFICATE),
    **dict.fromkeys(("TFD11303", "TFD-SELLO-CFD", "TFD-VERSION"), _ALTERED_STAMP),
    "TFD-FECHA": Cause("FechaTimbrado es anterior a Fecha, más de 72 horas posterior, o futura.", _STAMP),
    "TFD-PROVEEDOR": Cause(
        "No se conoce el certificado del proveedor, o no estaba vigente al timbrar.",
        "Agregue el certificado a la carpeta de confianza si el SAT lo publica.",
    ),
    "TFD-UNICO": Cause("El documento trae varios timbres.", "Deje solo el timbre del comprobante."),
    "TFD-LUGAR": Cause(
        "El timbre está fuera de Complemento.", "Mueva TimbreFiscalDigital a Complemento; el sello no cambia."
    ),
    **dict.fromkeys(("NS-PREFIJO", "NS-REPETIDO", "NS-SIN-USO", "CC3001", "CC3002"), _DECLARATION),
    **dict.fromkeys((f"CO100{number}" for number in range(1, 6)), _COMPLEMENT_DECLARATION),
    "SELLO-COMPLEMENTO": Cause(
        "La hoja de estilo de la versión no incluye el complemento: el sello no protege su contenido.",
        "Es un aviso: compare el complemento con el documento original del emisor.",
    ),
}
