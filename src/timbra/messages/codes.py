"""Codes as clients of the HTTP interface, of webhooks and of batches read them.

Inside the server, findings and conditions of Timbra have names (`SIN-TIMBRE`, `xml-missing`). Clients that read a code
expect letters and digits: each name has a code of that form here, which the outer modules write in place of the name.
"""

from __future__ import annotations

import re

from timbra.messages.literal import DETAIL_CODES, LITERAL
from timbra.messages.service import SERVICE

FAILED = "CO1000"
"""The code of a condition that has none of its own."""

FINDING_CODES: dict[str, str] = {
    "SIN-TIMBRE": "TB6001",
    "RECEPTOR-AJENO": "TB6002",
    "TOTAL-IMPRESO": "TB6003",
    "TFD-UNICO": "TB6010",
    "TFD-LUGAR": "TB6011",
    "TFD-VERSION": "TB6012",
    "TFD-SELLO-CFD": "TB6013",
    "TFD-PROVEEDOR": "TB6014",
    "TFD-FECHA": "TB6015",
    "NS-PREFIJO": "TB6020",
    "NS-SIN-USO": "TB6021",
    "NS-REPETIDO": "TB6022",
    "VERSION-FECHA": "TB6030",
    "COMPLEMENTO-FECHA": "TB6031",
    "SELLO-COMPLEMENTO": "TB6032",
    "CFDI32-REGLAS": "TB6040",
    "CFD22-REGLAS": "TB6041",
    "RET10-REGLAS": "TB6042",
    "69B-PRESUNTO": "TB6050",
    "69B-DEFINITIVO": "TB6051",
    "EFOS": "TB6052",
}
"""Codes of the findings of validation that have a name; a code is never given to another finding."""

CONDITION_CODES: dict[str, str] = {
    **DETAIL_CODES,
    "account-exists": "AU1001",
    "document-invalid": "301",
    "email-invalid": "TB4005",
    "email-too-many": "TB4005",
    "folio-invalid": "TB4005",
    "pdf-unknown": "TB4041",
    "print-failed": "TB4005",
    "print-too-large": "TB4005",
    "storage-unknown": "TB4041",
    "token-parts": "AU4000",
    "token-signature": "AU4000",
    "xml-missing": "301",
    "zip-concepts": "301",
}
"""Codes of conditions; other conditions have the code with which their literal text begins, or `FAILED`."""

_FORM = re.compile(r"[A-Za-z]{0,7}[0-9]{1,8}|CASD")
_PRINTED = re.compile(r"(?:[A-Z]{2,6}\d+|\d{3}|CASD)(?= -|\.)")


def printed_code(message: str) -> str:
    """Return the code at the beginning of a message; empty when there is none."""
    match = _PRINTED.match(message)
    return match[0] if match else ""


def public_code(code: str) -> str:
    """Return the code that clients read for a code or name of the server: letters and digits, or `CASD`."""
    if _FORM.fullmatch(code):
        return code
    named = FINDING_CODES.get(code) or CONDITION_CODES.get(code)
    return named or printed_code(LITERAL.get(code, "")) or FAILED


def public_code_and_detail(code: str, detail: str) -> tuple[str, str]:
    """Return the code that clients read, and the detail; the sentence of a name begins it, for the code is general."""
    public = public_code(code)
    if public == code:
        return code, detail
    text = LITERAL.get(code) or SERVICE.get(code, "")
    bare = text.removeprefix(f"{printed_code(text)} - ")
    if "{detail}" in bare:
        return public, bare.replace("{detail}", detail)
    return public, " ".join(filter(None, (bare, detail)))
