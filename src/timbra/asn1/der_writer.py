"""A writer of DER for certificates and keys in SAT's form.

The builders of `cryptography` reject SAT's names (latin-1 text inside T61String), so the sandbox encodes its own
certificates.
"""

from __future__ import annotations

from datetime import UTC, datetime

UTF8_STRING = 0x0C
PRINTABLE_STRING = 0x13
T61_STRING = 0x14
IA5_STRING = 0x16
_FIRST_GENERALIZED_YEAR = 2050


def element(tag: int, body: bytes) -> bytes:
    """Encode an element: tag, shortest definite length, body."""
    size = len(body)
    if size < 0x80:
        return bytes((tag, size)) + body
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(length))) + length + body


def sequence(*members: bytes) -> bytes:
    """Encode a SEQUENCE of encoded members."""
    return element(0x30, b"".join(members))


def single_set(member: bytes) -> bytes:
    """Encode a SET of one member, the form of a single-valued relative distinguished name."""
    return element(0x31, member)


def integer(value: int) -> bytes:
    """Encode a non-negative INTEGER in its shortest form."""
    return element(0x02, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def boolean(value: bool) -> bytes:
    return element(0x01, b"\xff" if value else b"\0")


def null() -> bytes:
    return element(0x05, b"")


def octets(value: bytes) -> bytes:
    """Encode an OCTET STRING."""
    return element(0x04, value)


def bits(value: bytes, unused: int = 0) -> bytes:
    """Encode a BIT STRING whose last byte has `unused` unused bits."""
    return element(0x03, bytes((unused,)) + value)


def explicit(number: int, member: bytes) -> bytes:
    """Encode a member under the explicit context tag [number]."""
    return element(0xA0 | number, member)


def object_identifier(dotted: str) -> bytes:
    """Encode an OBJECT IDENTIFIER from its dotted form."""
    first, second, *arcs = map(int, dotted.split("."))
    return element(0x06, b"".join(_base128(arc) for arc in (first * 40 + second, *arcs)))


def _base128(arc: int) -> bytes:
    groups = [arc & 0x7F]
    while arc := arc >> 7:
        groups.append(arc & 0x7F | 0x80)
    return bytes(reversed(groups))


def text(tag: int, value: str) -> bytes:
    """Encode a string type: UTF8String in UTF-8, every other type in latin-1 as SAT writes it.

    Raises:
        UnicodeEncodeError: `value` is not latin-1 and `tag` is not UTF8String.
    """
    return element(tag, value.encode("utf-8" if tag == UTF8_STRING else "latin-1"))


def time(instant: datetime) -> bytes:
    """Encode an aware instant in whole seconds: UTCTime until 2049, GeneralizedTime from 2050.

    Source: RFC 5280, section 4.1.2.5.
    """
    moment = instant.astimezone(UTC)
    if moment.year < _FIRST_GENERALIZED_YEAR:
        return element(0x17, moment.strftime("%y%m%d%H%M%SZ").encode())
    return element(0x18, moment.strftime("%Y%m%d%H%M%SZ").encode())
