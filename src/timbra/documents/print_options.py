"""What a client adds to a printed document: the logo, and data that are not part of the CFDI."""

from __future__ import annotations

import binascii
from base64 import b64decode

from timbra.core.errors import ServiceError
from timbra.rendering.branding import PrintExtras
from timbra.rendering.logo import MAX_BYTES, Logo, read_logo
from timbra.rendering.view import Field
from timbra.web.parsing.json_fields import JsonFields

MOST_BASE64 = MAX_BYTES * 4 // 3 + 4
MAX_EXTRAS, MAX_KEY, MAX_VALUE = 50, 60, 1_000
ISSUER, RECEIVER = "EDIRECCION", "RDIRECCION"
"""Beginnings of the keys whose values belong to a party."""


def read_extras(members: JsonFields) -> PrintExtras:
    """Read `extras`: an object of texts, numbers and booleans.

    Raises:
        ServiceError: "TB4005" for another form, or for too many or too long values.
    """
    if not members.has_value("extras"):
        return PrintExtras()
    extras = members.values["extras"]
    if not isinstance(extras, dict):
        raise ServiceError("TB4005", "El campo extras debe ser un objeto de textos.")
    if len(extras) > MAX_EXTRAS:
        raise ServiceError("TB4005", f"El campo extras tiene más de {MAX_EXTRAS} datos.")
    fields = [Field(_key(key), _value(key, value)) for key, value in extras.items() if value not in (None, "")]
    return PrintExtras(
        issuer=tuple(field for field in fields if field.label.upper().startswith(ISSUER)),
        receiver=tuple(field for field in fields if field.label.upper().startswith(RECEIVER)),
        others=tuple(field for field in fields if not field.label.upper().startswith((ISSUER, RECEIVER))),
    )


def _key(key: str) -> str:
    if len(key) > MAX_KEY:
        raise ServiceError("TB4005", f"Un dato de extras tiene un nombre de más de {MAX_KEY} caracteres.")
    return key


def _value(key: str, value: object) -> str:
    if not isinstance(value, str | int | float):
        raise ServiceError("TB4005", f"El dato {key} de extras debe ser un texto.")
    text = ("Sí" if value else "No") if isinstance(value, bool) else str(value)
    if len(text) > MAX_VALUE:
        raise ServiceError("TB4005", f"El dato {key} de extras tiene más de {MAX_VALUE} caracteres.")
    return text


def read_logo_text(written: str) -> Logo | None:
    """Read an image in base64, or as a data URL; None for an empty text.

    Raises:
        ServiceError: "TB4005" for an image that is not accepted.
    """
    text = "".join(written.split())
    if text.startswith("data:"):
        text = text.partition(",")[2]
    if not text:
        return None
    if len(text) > MOST_BASE64:
        raise ServiceError("TB4005", f"El logo pasa de {MAX_BYTES // 1024} KiB.")
    try:
        return read_logo(b64decode(text, validate=True))
    except (binascii.Error, ValueError) as error:
        raise ServiceError("TB4005", "El logo no es base64.") from error
