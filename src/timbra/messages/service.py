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
}
