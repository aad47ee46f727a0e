"""Sentences of successful answers about a part of the request that had no effect."""

from __future__ import annotations

MAIL_NOT_CONFIGURED = (
    "El CFDI se timbró, pero no se enviará por correo: el servidor no tiene configurado un servidor de correo."
)
MAIL_TOO_LARGE = "El CFDI se timbró, pero no se enviará por correo: los comprobantes de esta ruta no se envían."
