"""Spanish texts of cancellation: steps of the workflow, motives and answer codes of the SAT."""

from __future__ import annotations

STEPS = {
    "cancelled": "Se canceló; no hacía falta la aceptación del receptor",
    "received": "La autoridad recibió la solicitud de cancelación",
    "requested": "Se pidió cancelarla; falta la respuesta del receptor",
    "accepted": "El receptor aceptó la cancelación",
    "rejected": "El receptor rechazó la cancelación",
    "expired": "El receptor no respondió en su plazo: quedó cancelada",
    "ineffective": "Se pidió cancelarla, sin efecto",
}
MOTIVES = {
    "01": "Tiene errores y otra factura la sustituye",
    "02": "Tiene errores y ninguna la sustituye",
    "03": "La operación no se llevó a cabo",
    "04": "La operación quedó en una factura global",
}
CANCELLATION_CODES = {
    "201": "La autoridad recibió la solicitud de cancelación.",
    "202": "Ya estaba cancelada, o su cancelación está en proceso.",
    "203": "La autoridad no la tiene como factura de este emisor.",
    "204": "No se puede cancelar mientras otros CFDI vigentes se relacionen con ella.",
    "205": "La autoridad todavía no la tiene registrada.",
    "209": "El folio de sustitución solo va con el motivo 01.",
    "1201": "La autoridad recibió la solicitud de cancelación de la retención.",
    "1202": "La retención ya estaba cancelada.",
    "1203": "La autoridad no la tiene como retención de este emisor.",
    "1205": "La autoridad todavía no la tiene registrada.",
    "210": "Ya pasó el plazo para cancelar facturas de ese año.",
}
