"""Sentences of the checks of a stamp."""

from __future__ import annotations

SEALS: dict[str, str] = {
    "TFD11303": "El SelloSAT del timbre no es válido.",
    "TFD-FECHA": "FechaTimbrado debe seguir a la Fecha del comprobante en un máximo de 72 horas.",
    "TFD-PROVEEDOR": "El certificado del timbre debe ser el de un proveedor de certificación, vigente al timbrar.",
    "TFD-SELLO-CFD": "SelloCFD del timbre debe ser el Sello del comprobante.",
    "TFD-UNICO": "El comprobante debe llevar un solo timbre.",
    "TFD-VERSION": "El timbre debe ser de la versión 1.1.",
}
