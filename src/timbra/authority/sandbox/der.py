"""A small writer of DER: what a certificate in SAT's form needs, and no more.

General builders refuse SAT's names (latin-1 inside T61String), so the sandbox writes its certificates itself.
"""

from __future__ import annotations

from datetime import UTC, datetime

UTF8_STRING = 0x0C
PRINTABLE_STRING = 0x13
T61_STRING = 0x14
IA5_STRING = 0x16
_FIRST_GENERALIZED_YEAR = 2050


def element(tag: int, body: bytes) -> bytes:
    """Tag, definite length and body."""
    size = len(body)
    if size < 0x80:
        return bytes((tag, size)) + body
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(length))) + length + body


def sequence(*members: bytes) -> bytes:
    return element(0x30, b"".join(members))


def single_set(member: bytes) -> bytes:
    """A SET of one member, the form of every relative distinguished name here."""
    return element(0x31, member)


def integer(value: int) -> bytes:
    """A non-negative INTEGER in its shortest form."""
    return element(0x02, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def boolean(value: bool) -> bytes:
    return element(0x01, b"\xff" if value else b"\0")


def null() -> bytes:
    return element(0x05, b"")


def octets(value: bytes) -> bytes:
    return element(0x04, value)


def bits(value: bytes, unused: int = 0) -> bytes:
    """A BIT STRING; `unused` bits of the last byte do not count."""
    return element(0x03, bytes((unused,)) + value)


def explicit(number: int, member: bytes) -> bytes:
    """A member inside the constructed context tag [number]."""
    return element(0xA0 | number, member)


def object_identifier(dotted: str) -> bytes:
    first, second, *arcs = map(int, dotted.split("."))
    return element(0x06, b"".join(_base128(arc) for arc in (first * 40 + second, *arcs)))


def _base128(arc: int) -> bytes:
    groups = [arc & 0x7F]
    while arc := arc >> 7:
        groups.append(arc & 0x7F | 0x80)
    return bytes(reversed(groups))


def text(tag: int, value: str) -> bytes:
    """A string type: UTF8String in UTF-8, every other one in latin-1 as SAT does. UnicodeEncodeError if it cannot."""
    return element(tag, value.encode("utf-8" if tag == UTF8_STRING else "latin-1"))


def time(instant: datetime) -> bytes:
    """UTCTime until 2049, GeneralizedTime from 2050 (RFC 5280, 4.1.2.5); whole seconds. `instant` is aware."""
    moment = instant.astimezone(UTC)
    if moment.year < _FIRST_GENERALIZED_YEAR:
        return element(0x17, moment.strftime("%y%m%d%H%M%SZ").encode())
    return element(0x18, moment.strftime("%Y%m%d%H%M%SZ").encode())
