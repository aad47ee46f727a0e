"""Streaming reader of CMS SignedData (RFC 5652, PKCS#7) with embedded content, which verifies its signatures.

It supports RSA with PKCS #1 v1.5 and SHA-1 or SHA-2, because the SAT has signed lists with either.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from timbra.asn1.ber_reader import SEQUENCE, SET, BerContainer, BerError, BerReader
from timbra.asn1.der_reader import INTEGER, OCTET_STRING, DerNode, object_identifier, parse_der, require_tag
from timbra.asn1.x509_reader import read_certificate_fields, read_time
from timbra.core.errors import ServiceError
from timbra.seals.certificates.certificate import Certificate, read_certificate
from timbra.seals.rsa_signature import verify_digest

if TYPE_CHECKING:
    from hashlib import _Hash

DATA = "1.2.840.113549.1.7.1"
SIGNED_DATA = "1.2.840.113549.1.7.2"
CONTENT_TYPE = "1.2.840.113549.1.9.3"
MESSAGE_DIGEST = "1.2.840.113549.1.9.4"
SIGNING_TIME = "1.2.840.113549.1.9.5"
DIGESTS = {
    "1.3.14.3.2.26": "sha1",
    "2.16.840.1.101.3.4.2.1": "sha256",
    "2.16.840.1.101.3.4.2.2": "sha384",
    "2.16.840.1.101.3.4.2.3": "sha512",
}
RSA = {
    "1.2.840.113549.1.1.1": None,
    "1.2.840.113549.1.1.5": "sha1",
    "1.2.840.113549.1.1.11": "sha256",
    "1.2.840.113549.1.1.12": "sha384",
    "1.2.840.113549.1.1.13": "sha512",
}
"""Signature algorithms and the digest that they imply."""
MAX_PART_BYTES = 1024 * 1024
"""Bytes of the certificates, of the revocation lists and of the signatures, each."""
MAX_SIGNATURES = 8
_CONTEXT_0 = 0xA0
_CONTEXT_1 = 0xA1
_CONTEXT_KEY_ID = 0x80
_NULL = b"\x05\x00"


@dataclass(frozen=True, slots=True)
class CmsSignature:
    """A valid signature.

    Attributes:
        certificate: The signer's certificate.
        others: The other certificates of the message.
        digest: The hash of the signature, such as "sha256".
        signed_at: The signing time that the signer claims; None without one.
    """

    certificate: Certificate
    others: tuple[Certificate, ...]
    digest: str
    signed_at: datetime | None


class SignedDataReader:
    """An iterator over the content of a signed message, which verifies the signatures at the end.

    The content must not be used before the iteration has ended without an error.

    Raises:
        ServiceError: From the iteration: "list-unreadable" if the message is not CMS SignedData; "list-signature" if a
            signature is invalid or its certificate is missing.

    Source: RFC 5652, section 5.
    """

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._reader = BerReader(pieces)
        self._signatures: tuple[CmsSignature, ...] = ()

    @property
    def signatures(self) -> tuple[CmsSignature, ...]:
        """The valid signatures, at least one; empty before the content was read."""
        return self._signatures

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._content()
        except (BerError, ValueError) as cause:
            raise ServiceError("list-unreadable", "No es un PKCS#7 firmado, o está dañado.") from cause

    def _content(self) -> Iterator[bytes]:
        reader = self._reader
        message = reader.enter(SEQUENCE)
        _require_type(reader, SIGNED_DATA)
        explicit = reader.enter(_CONTEXT_0, message)
        signed = reader.enter(SEQUENCE, explicit)
        require_tag(parse_der(reader.element(16)), INTEGER)
        hashes = _new_hashes(parse_der(reader.element(MAX_PART_BYTES)))
        yield from self._hashed(signed, hashes)
        rest = self._rest(signed)
        for container in (signed, explicit, message):
            reader.leave(container)
        reader.finish()
        self._signatures = _verify_signatures(rest, {name: state.digest() for name, state in hashes.items()})

    def _hashed(self, signed: BerContainer, hashes: dict[str, _Hash]) -> Iterator[bytes]:
        reader = self._reader
        encapsulated = reader.enter(SEQUENCE, signed)
        _require_type(reader, DATA)
        explicit = reader.enter(_CONTEXT_0, encapsulated)
        for piece in reader.octets(explicit):
            for state in hashes.values():
                state.update(piece)
            yield piece
        reader.leave(explicit)
        reader.leave(encapsulated)

    def _rest(self, signed: BerContainer) -> dict[int, DerNode]:
        """Read certificates, revocation lists and signatures, by tag, in that order; signatures are required."""
        found = {}
        for tag in (_CONTEXT_0, _CONTEXT_1, SET):
            if self._reader.next_tag(signed) == tag:
                found[tag] = parse_der(self._reader.element(MAX_PART_BYTES))
        if SET not in found:
            raise BerError("the message has no signatures")
        return found


def _require_type(reader: BerReader, identifier: str) -> None:
    found = object_identifier(parse_der(reader.element(64)))
    if found != identifier:
        raise BerError(f"content of type {found} in place of {identifier}")


def _new_hashes(algorithms: DerNode) -> dict[str, _Hash]:
    named = [DIGESTS.get(_algorithm(node)) for node in require_tag(algorithms, SET).children()]
    supported = {name for name in named if name is not None}
    if not supported:
        raise BerError("the message names no supported digest")
    return {name: hashlib.new(name, usedforsecurity=False) for name in sorted(supported)}


def _algorithm(node: DerNode) -> str:
    """Return the object identifier of an algorithm; its parameters must be absent or NULL."""
    members = node.sequence()
    if [member.encoded for member in members[1:]] not in ([], [_NULL]):
        raise BerError("an algorithm with parameters")
    if not members:
        raise BerError("an algorithm without a name")
    return object_identifier(members[0])


def _verify_signatures(rest: dict[int, DerNode], digests: dict[str, bytes]) -> tuple[CmsSignature, ...]:
    certificates = (
        [node.encoded for node in rest[_CONTEXT_0].children() if node.tag == SEQUENCE] if _CONTEXT_0 in rest else []
    )
    signatures = list(rest[SET].children())
    if not 1 <= len(signatures) <= MAX_SIGNATURES:
        raise ServiceError("list-signature", f"El archivo trae {len(signatures)} firmas.")
    return tuple(_SignerInfo(node).verified(certificates, digests) for node in signatures)


class _SignerInfo:
    """One SignerInfo."""

    def __init__(self, node: DerNode) -> None:
        members = node.sequence()
        if len(members) not in (5, 6, 7):
            raise BerError("a signature has five to seven members")
        require_tag(members[0], INTEGER)
        self._signer = members[1]
        self._digest = DIGESTS.get(_algorithm(members[2]), "")
        attributes = members[3] if members[3].tag == _CONTEXT_0 else None
        rest = members[3 if attributes is None else 4 :]
        if len(rest) < 2 or [member.tag for member in rest[2:]] not in ([], [_CONTEXT_1]):
            raise BerError("the members of a signature are out of order")
        self._algorithm = _algorithm(rest[0])
        self._value = require_tag(rest[1], OCTET_STRING).body
        self._signed = b"" if attributes is None else bytes((SET,)) + attributes.encoded[1:]
        self._attributes = {} if attributes is None else _attributes(attributes)

    def verified(self, certificates: Sequence[bytes], digests: dict[str, bytes]) -> CmsSignature:
        digest = digests.get(self._digest)
        if digest is None or RSA.get(self._algorithm, "") not in (None, self._digest):
            raise ServiceError("list-signature", "El algoritmo de la firma no está soportado.")
        chosen = next((der for der in certificates if self._names(der)), None)
        if chosen is None:
            raise ServiceError("list-signature", "El archivo no trae el certificado de quien lo firmó.")
        certificate = _signer_certificate(chosen)
        self._require_signature(certificate, self._to_sign(digest))
        others = tuple(read for der in certificates if der != chosen for read in _read_if_valid(der))
        return CmsSignature(certificate, others, self._digest, self._signed_at())

    def _names(self, der: bytes) -> bool:
        """Whether this is the signer's certificate; False for one that cannot be decoded."""
        try:
            fields = read_certificate_fields(der)
        except ValueError:
            return False
        if self._signer.tag == _CONTEXT_KEY_ID:
            return bool(fields.key_id) and fields.key_id == self._signer.body
        members = self._signer.sequence()
        if len(members) != 2:
            raise BerError("a signer is named by issuer and serial")
        return members[0].encoded == fields.issuer and require_tag(members[1], INTEGER).body == fields.serial

    def _to_sign(self, digest: bytes) -> bytes:
        """Return the digest that the signature covers: that of the content, or that of the signed attributes."""
        if not self._signed:
            return digest
        claimed = require_tag(self._attribute(MESSAGE_DIGEST), OCTET_STRING).body
        if object_identifier(self._attribute(CONTENT_TYPE)) != DATA or not hmac.compare_digest(claimed, digest):
            raise ServiceError("list-signature", "El contenido no es el que se firmó.")
        return hashlib.new(self._digest, self._signed, usedforsecurity=False).digest()

    def _require_signature(self, certificate: Certificate, digest: bytes) -> None:
        if not verify_digest(certificate.public_key, self._digest, digest, self._value):
            raise ServiceError("list-signature", "La firma no corresponde al contenido y al certificado.")

    def _attribute(self, identifier: str) -> DerNode:
        if identifier not in self._attributes:
            raise BerError(f"the signature lacks the attribute {identifier}")
        return self._attributes[identifier]

    def _signed_at(self) -> datetime | None:
        node = self._attributes.get(SIGNING_TIME)
        return None if node is None else read_time(node.encoded)


def _attributes(node: DerNode) -> dict[str, DerNode]:
    """Return the value of each signed attribute that this module uses; each must have one value."""
    found: dict[str, DerNode] = {}
    for attribute in node.children():
        members = attribute.sequence()
        if len(members) != 2:
            raise BerError("an attribute has two members")
        identifier = object_identifier(members[0])
        if identifier not in (CONTENT_TYPE, MESSAGE_DIGEST, SIGNING_TIME):
            continue
        values = list(require_tag(members[1], SET).children())
        if identifier in found or len(values) != 1:
            raise BerError("an attribute occurs twice or has several values")
        found[identifier] = values[0]
    return found


def _signer_certificate(der: bytes) -> Certificate:
    try:
        return read_certificate(der)
    except ServiceError as cause:
        raise ServiceError("list-signature", "El certificado de quien firmó no se puede leer.") from cause


def _read_if_valid(der: bytes) -> Iterator[Certificate]:
    """Yield the certificate if it can be read; other certificates of the message are optional."""
    try:
        yield read_certificate(der)
    except ServiceError:
        return
