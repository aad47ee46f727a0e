"""Names inside certificates: SAT writes latin-1 into string types that do not allow it."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.seals.der import SET, DerError, Node, expect, object_identifier, whole

COMMON_NAME = "2.5.4.3"
UTF8_STRING = 0x0C
BMP_STRING = 0x1E
UNIVERSAL_STRING = 0x1C
TEXT_TAGS = frozenset({UTF8_STRING, 0x12, 0x13, 0x14, 0x16, 0x1A, BMP_STRING, UNIVERSAL_STRING})
SAT_SERIAL_DIGITS = 20

Name = Mapping[str, bytes]
"""The encoded value of each attribute by its object identifier; the first one where an attribute repeats."""


def read_name(encoded: bytes) -> Name:
    """The attributes of a distinguished name. DerError when it is none."""
    name: dict[str, bytes] = {}
    for relative in whole(encoded).sequence():
        for attribute in expect(relative, SET).children():
            members = attribute.sequence()
            if len(members) != 2:
                raise DerError("an attribute of a name has two members")
            name.setdefault(object_identifier(members[0]), members[1].encoded)
    return name


def decoded_text(encoded: bytes) -> str:
    """The text of an encoded string, trimmed; "" for no bytes. Bytes that are not of the declared set are latin-1."""
    if not encoded:
        return ""
    node = whole(encoded)
    if node.tag not in TEXT_TAGS:
        raise DerError("an attribute's value is no text")
    return _decode(node).strip()


def _decode(node: Node) -> str:
    if node.tag == BMP_STRING:
        return node.body.decode("utf-16-be")
    if node.tag == UNIVERSAL_STRING:
        return node.body.decode("utf-32-be")
    if node.tag == UTF8_STRING:
        try:
            return node.body.decode()
        except UnicodeDecodeError:
            return node.body.decode("latin-1")
    return node.body.decode("latin-1")


def common_name(name: Name) -> str:
    return decoded_text(name.get(COMMON_NAME, b""))


def split_identity(encoded: bytes) -> tuple[str, str]:
    """Holder and representative of "HOLDER / REPRESENTATIVE", the form of x500UniqueIdentifier and serialNumber."""
    holder, _, representative = decoded_text(encoded).partition("/")
    return holder.strip(), representative.strip()


def number_of(serial: bytes) -> str:
    """The certificate number: SAT writes 20 ASCII digits as the serial's bytes; other serials stay hexadecimal."""
    if len(serial) == SAT_SERIAL_DIGITS and all(0x30 <= byte <= 0x39 for byte in serial):
        return serial.decode("ascii")
    return serial.hex()
