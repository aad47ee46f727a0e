"""Distinguished names as text (RFC 4514), for the X509IssuerName of XML signatures."""

from __future__ import annotations

import re

from timbra.seals.der import SET, expect, object_identifier, whole
from timbra.seals.names import TEXT_TAGS, decoded_text

_SHORT = {
    "2.5.4.3": "CN",
    "2.5.4.6": "C",
    "2.5.4.7": "L",
    "2.5.4.8": "ST",
    "2.5.4.9": "STREET",
    "2.5.4.10": "O",
    "2.5.4.11": "OU",
}
_SPECIAL = re.compile(r'([,+"\\<>;=]|^[ #]| $)')


def name_text(encoded: bytes) -> str:
    """The last attribute first; types without a short name in dotted form, their values as hexadecimal DER."""
    parts = []
    for relative in whole(encoded).sequence():
        attributes = [attribute.sequence() for attribute in expect(relative, SET).children()]
        parts.append("+".join(_attribute(object_identifier(kind), value.encoded) for kind, value in attributes))
    return ",".join(reversed(parts))


def _attribute(kind: str, value: bytes) -> str:
    if kind not in _SHORT or value[0] not in TEXT_TAGS:
        return f"{kind}=#{value.hex()}"
    text = _SPECIAL.sub(r"\\\1", decoded_text(value)).replace("\0", "\\00")
    return f"{_SHORT[kind]}={text}"
