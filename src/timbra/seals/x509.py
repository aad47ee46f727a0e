"""The parts of an X.509 certificate (RFC 5280), read once; nothing is judged here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from timbra.seals.der import (
    BIT_STRING,
    GENERALIZED_TIME,
    INTEGER,
    OCTET_STRING,
    SEQUENCE,
    UTC_TIME,
    DerError,
    Node,
    bit_string,
    expect,
    integer,
    object_identifier,
    whole,
)

VERSION_TAG = 0xA0
EXTENSIONS_TAG = 0xA3
KEY_ID_TAG = 0x80
BOOLEAN = 0x01
DIGESTS = {
    "1.2.840.113549.1.1.4": "md5",
    "1.2.840.113549.1.1.5": "sha1",
    "1.2.840.113549.1.1.11": "sha256",
    "1.2.840.113549.1.1.12": "sha384",
    "1.2.840.113549.1.1.13": "sha512",
}
KEY_USAGES = (
    "digitalSignature",
    "nonRepudiation",
    "keyEncipherment",
    "dataEncipherment",
    "keyAgreement",
    "keyCertSign",
    "cRLSign",
)
KEY_USAGE = "2.5.29.15"
BASIC_CONSTRAINTS = "2.5.29.19"
SUBJECT_KEY_ID = "2.5.29.14"
AUTHORITY_KEY_ID = "2.5.29.35"


@dataclass(frozen=True, slots=True)
class Parts:
    """issuer, subject, public_key: as encoded. digest: hash of the issuer's signature, "" when it is not RSA's."""

    der: bytes
    signed: bytes
    signature: bytes
    digest: str
    serial: bytes
    issuer: bytes
    subject: bytes
    valid_from: datetime
    valid_to: datetime
    public_key: bytes
    authority: bool
    path_length: int | None
    key_usage: frozenset[str]
    key_id: bytes
    issuer_key_id: bytes


def read_parts(der: bytes) -> Parts:
    """ValueError (DerError among them) when `der` is no certificate."""
    signed, algorithm, signature = _members(whole(der), 3)
    fields = signed.sequence()
    if fields and fields[0].tag == VERSION_TAG:
        del fields[0]
    if len(fields) < 6:
        raise DerError("the certificate lacks fields")
    serial, inner_algorithm, issuer, validity, subject, public_key = fields[:6]
    if inner_algorithm.encoded != algorithm.encoded:
        raise DerError("the certificate names two signature algorithms")
    valid_from, valid_to = (read_instant(node) for node in _members(validity, 2))
    extensions = _extensions(fields[6:])
    authority, path_length = _basic_constraints(extensions.get(BASIC_CONSTRAINTS))
    return Parts(
        der=der,
        signed=signed.encoded,
        signature=bit_string(signature),
        digest=DIGESTS.get(object_identifier(algorithm.sequence()[0]), "") if algorithm.sequence() else "",
        serial=expect(serial, INTEGER).body,
        issuer=expect(issuer, SEQUENCE).encoded,
        subject=expect(subject, SEQUENCE).encoded,
        valid_from=valid_from,
        valid_to=valid_to,
        public_key=expect(public_key, SEQUENCE).encoded,
        authority=authority,
        path_length=path_length,
        key_usage=_key_usage(extensions.get(KEY_USAGE)),
        key_id=_key_id(extensions.get(SUBJECT_KEY_ID)),
        issuer_key_id=_authority_key_id(extensions.get(AUTHORITY_KEY_ID)),
    )


def _members(node: Node, count: int) -> list[Node]:
    members = node.sequence()
    if len(members) != count:
        raise DerError(f"{len(members)} members in place of {count}")
    return members


def read_instant(node: Node) -> datetime:
    """A UTCTime or GeneralizedTime, aware; ValueError when it is neither."""
    text = node.body.decode("ascii")
    if node.tag == UTC_TIME and re.fullmatch(r"[0-9]{12}Z", text):
        text = ("19" if text[:2] >= "50" else "20") + text
    elif node.tag != GENERALIZED_TIME or not re.fullmatch(r"[0-9]{14}Z", text):
        raise DerError("the instant is not written as RFC 5280 demands")
    return datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC)


def _extensions(fields: list[Node]) -> dict[str, bytes]:
    extensions: dict[str, bytes] = {}
    for field in fields:
        if field.tag != EXTENSIONS_TAG:
            continue
        for extension in whole(field.body).sequence():
            members = extension.sequence()
            if len(members) not in (2, 3):
                raise DerError("an extension has two or three members")
            identifier = object_identifier(members[0])
            if identifier in extensions:
                raise DerError("an extension occurs twice")
            extensions[identifier] = expect(members[-1], OCTET_STRING).body
    return extensions


def _basic_constraints(encoded: bytes | None) -> tuple[bool, int | None]:
    members = whole(encoded).sequence() if encoded is not None else []
    authority = bool(members) and members[0].tag == BOOLEAN and any(members[0].body)
    return authority, integer(members[1]) if authority and len(members) > 1 else None


def _key_usage(encoded: bytes | None) -> frozenset[str]:
    if encoded is None:
        return frozenset()
    bits = bit_string(expect(whole(encoded), BIT_STRING))
    return frozenset(name for place, name in enumerate(KEY_USAGES) if bits and bits[0] & 0x80 >> place)


def _key_id(encoded: bytes | None) -> bytes:
    return expect(whole(encoded), OCTET_STRING).body if encoded is not None else b""


def _authority_key_id(encoded: bytes | None) -> bytes:
    members = whole(encoded).sequence() if encoded is not None else []
    return next((member.body for member in members if member.tag == KEY_ID_TAG), b"")
