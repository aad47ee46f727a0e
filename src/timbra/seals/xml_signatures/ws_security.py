"""WS-Security with an X.509 token, as the SAT's authentication services demand it: a signed Timestamp.

The signature covers the Timestamp only. Other forms are rejected: other algorithms, several headers, signatures or
references, an identifier that occurs twice.

Source: the login of providers and that of the mass download have this profile.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import b64encode
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NoReturn
from uuid import uuid4

from lxml import etree

from timbra.core.errors import ServiceError
from timbra.core.soap import ENVELOPE
from timbra.seals.base64_text import strict_base64
from timbra.seals.certificates.certificate import Certificate, read_certificate
from timbra.seals.rsa_signature import verify_signature
from timbra.seals.signers.port import Signer
from timbra.seals.xml_signatures.xmldsig import DSIG, EXCLUSIVE

_OASIS = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss"
SECURITY = f"{_OASIS}-wssecurity-secext-1.0.xsd"
UTILITY = f"{_OASIS}-wssecurity-utility-1.0.xsd"
X509_TOKEN = f"{_OASIS}-x509-token-profile-1.0#X509v3"
BASE64_ENCODING = f"{_OASIS}-soap-message-security-1.0#Base64Binary"
RSA_SHA1 = f"{DSIG}rsa-sha1"
SHA1 = f"{DSIG}sha1"
VALIDITY = timedelta(seconds=300)
MAX_SKEW = timedelta(minutes=5)
"""Tolerated difference between the clocks of client and service."""
_ID = f"{{{UTILITY}}}Id"
_IDENTIFIERS = (_ID, "Id", "ID", "id", "AssertionID")
_INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,7})?Z\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class LoginProfile:
    """What a service accepts of the Timestamp and of the signature.

    Attributes:
        validity: The longest time between Created and Expires.
        needs_expires: Whether Expires is required; without it the Timestamp has that validity.
        needs_transforms: Whether the reference must have Transforms.
    """

    validity: timedelta = VALIDITY
    needs_expires: bool = True
    needs_transforms: bool = True


STRICT = LoginProfile()
BULK_DOWNLOAD = LoginProfile(timedelta(minutes=10), needs_expires=False, needs_transforms=False)
"""What the SAT's bulk download accepts of programs in use."""


@dataclass(frozen=True, slots=True)
class VerifiedLogin:
    """A login whose signature and time were verified.

    Attributes:
        certificate: The signer's certificate. The caller checks whether it is trusted and of a known holder.
        expires_at: End of the Timestamp, aware, UTC.
        signature: The value of the signature, which identifies the login.
    """

    certificate: Certificate
    expires_at: datetime
    signature: bytes = field(repr=False)


def security_header(certificate: Certificate, signer: Signer, at: datetime) -> str:
    """Return the XML of a Security header for one SOAP message.

    Args:
        certificate: The certificate of the caller, included as BinarySecurityToken.
        signer: The key of the certificate.
        at: Wall time, aware; the header is valid for 300 seconds from it.

    Raises:
        ServiceError: Those of `Signer.sign`.
    """
    token_id = f"uuid-{uuid4()}-1"
    security = etree.Element(_tag(SECURITY, "Security"), nsmap={"s": ENVELOPE, "o": SECURITY, "u": UTILITY})
    security.set(_tag(ENVELOPE, "mustUnderstand"), "1")
    timestamp = etree.SubElement(security, _tag(UTILITY, "Timestamp"))
    timestamp.set(_ID, "_0")
    etree.SubElement(timestamp, _tag(UTILITY, "Created")).text = format_instant(at)
    etree.SubElement(timestamp, _tag(UTILITY, "Expires")).text = format_instant(at + VALIDITY)
    token = etree.SubElement(security, _tag(SECURITY, "BinarySecurityToken"))
    token.set(_ID, token_id)
    token.set("ValueType", X509_TOKEN)
    token.set("EncodingType", BASE64_ENCODING)
    token.text = b64encode(certificate.der).decode()
    # The type stubs do not allow a default namespace.
    signature = etree.SubElement(security, _tag(DSIG, "Signature"), nsmap={None: DSIG})  # type: ignore[dict-item]
    info = _add(signature, "SignedInfo")
    _add(info, "CanonicalizationMethod", Algorithm=EXCLUSIVE)
    _add(info, "SignatureMethod", Algorithm=RSA_SHA1)
    reference = _add(info, "Reference", URI="#_0")
    _add(_add(reference, "Transforms"), "Transform", Algorithm=EXCLUSIVE)
    _add(reference, "DigestMethod", Algorithm=SHA1)
    _add(reference, "DigestValue").text = b64encode(_sha1(_canonical(timestamp))).decode()
    _add(signature, "SignatureValue").text = b64encode(signer.sign(_canonical(info), "sha1")).decode()
    holder = etree.SubElement(_add(signature, "KeyInfo"), _tag(SECURITY, "SecurityTokenReference"))
    pointer = etree.SubElement(holder, _tag(SECURITY, "Reference"))
    pointer.set("ValueType", X509_TOKEN)
    pointer.set("URI", f"#{token_id}")
    return etree.tostring(security, encoding="unicode")


def verify_security(security: etree._Element, now: datetime, profile: LoginProfile = STRICT) -> VerifiedLogin:
    """Verify the Security header of a message.

    Args:
        security: The header inside the parsed message.
        now: Wall time, aware.
        profile: What the service accepts.

    Raises:
        ServiceError: "xml-signature" with the reason, in Spanish.
    """
    _require_unique(security)
    children = {child.tag: child for child in security.iterchildren("*")}
    names = (_tag(UTILITY, "Timestamp"), _tag(SECURITY, "BinarySecurityToken"), _tag(DSIG, "Signature"))
    if set(children) != set(names) or len(list(security.iterchildren("*"))) != len(names):
        _reject("Security debe llevar Timestamp, BinarySecurityToken y Signature, uno de cada uno.")
    timestamp, token, signature = (children[name] for name in names)
    info, value, key_info = _children(signature, "SignedInfo", "SignatureValue", "KeyInfo")
    method, algorithm, reference = _children(info, "CanonicalizationMethod", "SignatureMethod", "Reference")
    _require_algorithm(method, EXCLUSIVE)
    _require_algorithm(algorithm, RSA_SHA1)
    _verify_reference(reference, timestamp, profile)
    _require_token_reference(key_info, token)
    certificate = _read_certificate(token)
    written = _decode_base64(value)
    if not verify_signature(certificate.public_key, _canonical(info), written, "sha1"):
        _reject("La firma no corresponde al certificado.")
    return VerifiedLogin(certificate, _verify_time(timestamp, now, profile), written)


def format_instant(at: datetime) -> str:
    """Format an instant as a Timestamp has it: UTC, with milliseconds and `Z`."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _require_unique(security: etree._Element) -> None:
    """Require one Security, Timestamp and Signature in the whole message, and identifiers that occur once."""
    root = security.getroottree().getroot()
    for name in (_tag(SECURITY, "Security"), _tag(UTILITY, "Timestamp"), _tag(DSIG, "Signature")):
        if len(list(root.iter(name))) > 1:
            _reject(f"El mensaje trae más de un {etree.QName(name).localname}.")
    found: set[str] = set()
    for element in root.iter("*"):
        for name in _IDENTIFIERS:
            identifier = element.get(name)
            if identifier is not None and identifier in found:
                _reject("Un identificador (Id) se repite en el mensaje.")
            if identifier is not None:
                found.add(identifier)


def _verify_reference(reference: etree._Element, timestamp: etree._Element, profile: LoginProfile) -> None:
    if profile.needs_transforms or reference.find(_tag(DSIG, "Transforms")) is not None:
        transforms, method, value = _children(reference, "Transforms", "DigestMethod", "DigestValue")
        (transform,) = _children(transforms, "Transform")
        _require_algorithm(transform, EXCLUSIVE)
    else:
        method, value = _children(reference, "DigestMethod", "DigestValue")
    identifier = timestamp.get(_ID)
    if not identifier or reference.get("URI") != f"#{identifier}":
        _reject("La firma debe abarcar el Timestamp, con su wsu:Id.")
    _require_algorithm(method, SHA1)
    if not hmac.compare_digest(_sha1(_canonical(timestamp)), _decode_base64(value)):
        _reject("El Timestamp cambió después de firmarse: su resumen es otro.")


def _require_token_reference(key_info: etree._Element, token: etree._Element) -> None:
    holders = list(key_info.iterchildren("*"))
    pointers = list(holders[0].iterchildren("*")) if len(holders) == 1 else []
    if (
        len(pointers) != 1
        or holders[0].tag != _tag(SECURITY, "SecurityTokenReference")
        or pointers[0].tag != _tag(SECURITY, "Reference")
    ):
        _reject("KeyInfo debe llevar un SecurityTokenReference con una Reference.")
    identifier = token.get(_ID)
    if not identifier or pointers[0].get("URI") != f"#{identifier}":
        _reject("KeyInfo no señala el BinarySecurityToken del mensaje.")


def _read_certificate(token: etree._Element) -> Certificate:
    if token.get("ValueType") != X509_TOKEN or token.get("EncodingType", BASE64_ENCODING) != BASE64_ENCODING:
        _reject("BinarySecurityToken no es un certificado X.509 en base64.")
    try:
        return read_certificate(_decode_base64(token))
    except ServiceError as cause:
        raise ServiceError("xml-signature", cause.detail) from cause


def _verify_time(timestamp: etree._Element, now: datetime, profile: LoginProfile) -> datetime:
    """Return the end of the Timestamp after it was compared with wall time."""
    names = [child.tag for child in timestamp.iterchildren("*")]
    whole = [_tag(UTILITY, "Created"), _tag(UTILITY, "Expires")]
    if names != whole and (profile.needs_expires or names != whole[:1]):
        _reject("El Timestamp debe llevar Created y Expires.")
    created, *ends = (_instant(child) for child in timestamp.iterchildren("*"))
    expires = ends[0] if ends else created + profile.validity
    if not created < expires <= created + profile.validity:
        _reject(f"El Timestamp debe valer a lo más {int(profile.validity.total_seconds())} segundos.")
    if created > now + MAX_SKEW:
        _reject("El Timestamp es del futuro: revise el reloj.")
    if now >= expires + MAX_SKEW:
        _reject("El Timestamp venció: revise el reloj.")
    return expires


def _instant(element: etree._Element) -> datetime:
    text = (element.text or "").strip()
    if len(element) or not _INSTANT.match(text):
        _reject("Created y Expires se escriben en UTC, con Z.")
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        _reject("Created y Expires se escriben en UTC, con Z.")


def _require_algorithm(node: etree._Element, algorithm: str) -> None:
    if node.get("Algorithm") != algorithm or len(node):
        _reject(f"{etree.QName(node).localname} debe ser {algorithm}, sin parámetros.")


def _children(node: etree._Element, *names: str) -> list[etree._Element]:
    """Return the child elements, which must be exactly these, in this order."""
    children = list(node.iterchildren("*"))
    if [child.tag for child in children] != [_tag(DSIG, name) for name in names]:
        _reject(f"La firma está mal formada en {etree.QName(node).localname}.")
    return children


def _canonical(element: etree._Element) -> bytes:
    try:
        return etree.tostring(element, method="c14n", exclusive=True, with_comments=False)
    except etree.C14NError as error:
        raise ServiceError("xml-signature", "El mensaje no tiene forma canónica.") from error


def _decode_base64(node: etree._Element) -> bytes:
    try:
        return strict_base64("".join((node.text or "").split()))
    except ValueError:
        _reject(f"{etree.QName(node).localname} no es base64.")


def _sha1(data: bytes) -> bytes:
    return hashlib.sha1(data).digest()  # noqa: S324 - the algorithm of the profile


def _add(parent: etree._Element, name: str, **attributes: str) -> etree._Element:
    return etree.SubElement(parent, _tag(DSIG, name), attributes)


def _tag(namespace: str, name: str) -> str:
    return f"{{{namespace}}}{name}"


def _reject(detail: str) -> NoReturn:
    raise ServiceError("xml-signature", detail)
