"""Distinguished names as text (RFC 4514), for the X509IssuerName of XML signatures."""

from __future__ import annotations

import re

from timbra.asn1.der_reader import SET, object_identifier, parse_der, require_tag
from timbra.seals.certificates.subject_reader import TEXT_TAGS, decode_text

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
    """Convert a distinguished name to text, the last attribute first.

    Attributes without a short name are written in dotted form, their values as hexadecimal DER.

    Args:
        encoded: The name in DER.

    Source: RFC 4514.
    """
    parts = []
    for relative in parse_der(encoded).sequence():
        attributes = [attribute.sequence() for attribute in require_tag(relative, SET).children()]
        parts.append("+".join(_attribute(object_identifier(kind), value.encoded) for kind, value in attributes))
    return ",".join(reversed(parts))


def _attribute(kind: str, value: bytes) -> str:
    if kind not in _SHORT or value[0] not in TEXT_TAGS:
        return f"{kind}=#{value.hex()}"
    text = _SPECIAL.sub(r"\\\1", decode_text(value)).replace("\0", "\\00")
    return f"{_SHORT[kind]}={text}"
