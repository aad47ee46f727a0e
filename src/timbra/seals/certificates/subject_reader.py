"""Distinguished names of certificates: the SAT writes latin-1 into string types that do not allow it."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.asn1.der_reader import SET, DerError, DerNode, object_identifier, parse_der, require_tag

COMMON_NAME = "2.5.4.3"
UTF8_STRING = 0x0C
BMP_STRING = 0x1E
UNIVERSAL_STRING = 0x1C
TEXT_TAGS = frozenset({UTF8_STRING, 0x12, 0x13, 0x14, 0x16, 0x1A, BMP_STRING, UNIVERSAL_STRING})
SAT_SERIAL_DIGITS = 20

Name = Mapping[str, bytes]
"""The encoded value of each attribute by its object identifier; the first one where an attribute repeats."""


def read_name(encoded: bytes) -> Name:
    """Decode the attributes of a distinguished name. Raises DerError: The name is malformed."""
    name: dict[str, bytes] = {}
    for relative in parse_der(encoded).sequence():
        for attribute in require_tag(relative, SET).children():
            members = attribute.sequence()
            if len(members) != 2:
                raise DerError("an attribute of a name has two members")
            name.setdefault(object_identifier(members[0]), members[1].encoded)
    return name


def decode_text(encoded: bytes) -> str:
    """Decode a string and strip it; "" for no bytes. A UTF8String that is not UTF-8 is decoded as latin-1.

    Raises:
        DerError: The value is not a string.
    """
    if not encoded:
        return ""
    node = parse_der(encoded)
    if node.tag not in TEXT_TAGS:
        raise DerError("an attribute's value is no text")
    return _decode(node).strip()


def _decode(node: DerNode) -> str:
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
    """Return the common name; "" if absent."""
    return decode_text(name.get(COMMON_NAME, b""))


def split_identity(encoded: bytes) -> tuple[str, str]:
    """Split "HOLDER / REPRESENTATIVE", the form of x500UniqueIdentifier and serialNumber."""
    holder, _, representative = decode_text(encoded).partition("/")
    return holder.strip(), representative.strip()


def decode_number(serial: bytes) -> str:
    """Decode a serial into the certificate number: the SAT's 20 ASCII digits, hexadecimal for other serials."""
    if len(serial) == SAT_SERIAL_DIGITS and all(0x30 <= byte <= 0x39 for byte in serial):
        return serial.decode("ascii")
    return serial.hex()
