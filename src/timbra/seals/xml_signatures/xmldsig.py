"""XML signatures (XML-DSig) as the SAT's services use them: one enveloped signature over the whole document.

Other forms of XML-DSig are rejected: other references or transforms, several signatures, keys without certificate.
The caller gets the canonical bytes whose digest was verified.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import b64encode
from copy import deepcopy
from dataclasses import dataclass, field
from typing import NoReturn

from lxml import etree

from timbra.asn1.der_reader import SET, object_identifier, parse_der, require_tag
from timbra.core.errors import ServiceError
from timbra.seals.base64_text import strict_base64
from timbra.seals.certificates.certificate import Certificate, read_certificate
from timbra.seals.certificates.subject_reader import SAT_SERIAL_DIGITS, TEXT_TAGS, decode_text
from timbra.seals.rsa_signature import Digest, verify_signature
from timbra.seals.signers.port import Signer

DSIG = "http://www.w3.org/2000/09/xmldsig#"
ENVELOPED = f"{DSIG}enveloped-signature"
INCLUSIVE = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#"
CANONICAL = {
    INCLUSIVE: {"exclusive": False, "with_comments": False},
    f"{INCLUSIVE}#WithComments": {"exclusive": False, "with_comments": True},
    EXCLUSIVE: {"exclusive": True, "with_comments": False},
    f"{EXCLUSIVE}WithComments": {"exclusive": True, "with_comments": True},
}
SIGNATURES: dict[str, Digest] = {
    f"{DSIG}rsa-sha1": "sha1",
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256": "sha256",
}
DIGESTS: dict[str, Digest] = {f"{DSIG}sha1": "sha1", "http://www.w3.org/2001/04/xmlenc#sha256": "sha256"}
_SIGNATURE_URI = {digest: uri for uri, digest in SIGNATURES.items()}
_DIGEST_URI = {digest: uri for uri, digest in DIGESTS.items()}
_PREFIXES = f"{{{EXCLUSIVE}}}InclusiveNamespaces"
MAX_PREFIXES = 32
_PLAIN = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, strip_cdata=False)
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


@dataclass(frozen=True, slots=True)
class VerifiedSignature:
    """A signature that was verified.

    Attributes:
        certificate: The signer's certificate. The caller checks whether it is trusted, valid and of the right kind.
        content: The signed document without its signature, canonical. Read this, not the original document.
    """

    certificate: Certificate
    content: bytes = field(repr=False)


def verify(root: etree._Element) -> VerifiedSignature:
    """Verify the signature inside a document.

    Raises:
        ServiceError: "xml-signature" when the signature is absent, invalid or of another form.
    """
    if root.getroottree().docinfo.internalDTD is not None:
        _reject("El documento firmado lleva un DTD.")
    signature = _only_signature(root)
    info, value, key_info = _children(signature, "SignedInfo", "SignatureValue", "KeyInfo")
    method, algorithm, reference = _children(info, "CanonicalizationMethod", "SignatureMethod", "Reference")
    certificate = _read_certificate(key_info)
    content = _verify_reference(root, signature, reference)
    signed = _canonicalize(info, method)
    digest = _require_algorithm(SIGNATURES, algorithm)
    if not verify_signature(certificate.public_key, signed, _decode_base64(value), digest):
        _reject("La firma no corresponde al documento y al certificado.")
    return VerifiedSignature(certificate, content)


def sign(
    root: etree._Element,
    certificate: Certificate,
    signer: Signer,
    digest: Digest = "sha1",
    name: str | None = None,
    *,
    canonical: str = INCLUSIVE,
    place: etree._Element | None = None,
) -> None:
    """Append an enveloped signature to the root.

    Args:
        certificate: The signer's certificate, included in KeyInfo.
        signer: The key of the certificate.
        digest: The hash; the SAT's cancellation services accept "sha1".
        name: The Id of the Signature element; None for none.
        canonical: INCLUSIVE; or EXCLUSIVE, then the only transform is that form, as the bulk download has it.
        place: The element of the document that gets the signature; None for the root.

    Raises:
        ServiceError: Those of `Signer.sign`.
    """
    is_exclusive = canonical == EXCLUSIVE
    summary = hashlib.new(digest, _canonicalize_alone(root, is_exclusive)).digest()
    signature = etree.SubElement(root if place is None else place, _tag("Signature"), nsmap={None: DSIG})  # type: ignore[dict-item]
    if name is not None:
        signature.set("Id", name)
    info = _add(signature, "SignedInfo")
    _add(info, "CanonicalizationMethod", Algorithm=canonical)
    _add(info, "SignatureMethod", Algorithm=_SIGNATURE_URI[digest])
    reference = _add(info, "Reference", URI="")
    _add(_add(reference, "Transforms"), "Transform", Algorithm=EXCLUSIVE if is_exclusive else ENVELOPED)
    _add(reference, "DigestMethod", Algorithm=_DIGEST_URI[digest])
    _add(reference, "DigestValue").text = b64encode(summary).decode()
    value = signer.sign(_canonicalize_alone(info, is_exclusive), digest)
    _add(signature, "SignatureValue").text = b64encode(value).decode()
    data = _add(_add(signature, "KeyInfo"), "X509Data")
    issuer = _add(data, "X509IssuerSerial")
    _add(issuer, "X509IssuerName").text = name_text(certificate.issuer)
    _add(issuer, "X509SerialNumber").text = str(_serial(certificate))
    _add(data, "X509Certificate").text = b64encode(certificate.der).decode()


def _only_signature(root: etree._Element) -> etree._Element:
    found = list(root.iter(_tag("Signature")))
    if len(found) != 1 or found[0].getparent() is not root:
        _reject("Debe haber una sola firma, dentro de la raíz del documento.")
    return found[0]


def _verify_reference(root: etree._Element, signature: etree._Element, reference: etree._Element) -> bytes:
    """Return the bytes that the reference covers, after their digest was compared."""
    transforms, method, value = _children(reference, "Transforms", "DigestMethod", "DigestValue")
    if reference.get("URI") != "":
        _reject("La firma debe abarcar el documento completo (URI vacío).")
    steps = list(transforms.iterchildren("*"))
    if any(step.tag != _tag("Transform") for step in steps) or not 1 <= len(steps) <= 2:
        _reject("La referencia de la firma lleva otras transformaciones que las que se admiten.")
    if steps[0].get("Algorithm") != ENVELOPED or len(steps[0]):
        _reject("La primera transformación de la firma debe ser enveloped-signature.")
    whole = _without_signature(root, signature)
    # A reference to the whole document never covers comments, for any transform.
    content = _canonicalize(whole, steps[1], comments=False) if len(steps) == 2 else _canonicalize_alone(whole)
    digest = hashlib.new(_require_algorithm(DIGESTS, method), content).digest()
    if not hmac.compare_digest(digest, _decode_base64(value)):
        _reject("El documento cambió después de firmarse: su resumen es otro.")
    return content


def _without_signature(root: etree._Element, signature: etree._Element) -> etree._Element:
    """Return a copy of the document without its signature; the text after the signature stays."""
    copy = deepcopy(root)
    removed = copy[root.index(signature)]
    before = removed.getprevious()
    if before is None:
        copy.text = (copy.text or "") + (removed.tail or "")
    else:
        before.tail = (before.tail or "") + (removed.tail or "")
    copy.remove(removed)
    return copy


def _canonicalize(node: etree._Element, method: etree._Element, *, comments: bool = True) -> bytes:
    mode = CANONICAL.get(method.get("Algorithm") or "")
    if mode is None:
        _reject("La forma canónica de la firma no se admite.")
    inner = list(method.iterchildren("*"))
    prefixes: list[str] = []
    if inner and mode["exclusive"] and len(inner) == 1 and inner[0].tag == _PREFIXES:
        prefixes = (inner[0].get("PrefixList") or "").split()
    elif inner:
        _reject("La forma canónica de la firma lleva parámetros que no se admiten.")
    if len(prefixes) > MAX_PREFIXES:
        _reject("La forma canónica de la firma nombra demasiados prefijos.")
    return _canonicalize_alone(
        node, mode["exclusive"], with_comments=comments and mode["with_comments"], prefixes=prefixes or None
    )


def _canonicalize_alone(
    node: etree._Element, exclusive: bool = False, *, with_comments: bool = False, prefixes: list[str] | None = None
) -> bytes:
    """Return the canonical XML of an element as the root of a document with the namespaces of its ancestors.

    The element is parsed again first: in the inclusive form of an inner element libxml2 undeclares namespaces.
    """
    alone = etree.fromstring(etree.tostring(node, encoding="utf-8", with_tail=False), _PLAIN)
    try:
        return etree.tostring(
            alone, method="c14n", exclusive=exclusive, with_comments=with_comments, inclusive_ns_prefixes=prefixes
        )
    except etree.C14NError as error:
        raise ServiceError("xml-signature", "El documento no tiene forma canónica.") from error


def _read_certificate(key_info: etree._Element) -> Certificate:
    data = list(key_info.iterchildren(_tag("X509Data")))
    holders = list(data[0].iterchildren(_tag("X509Certificate"))) if len(data) == 1 else []
    if len(holders) != 1:
        _reject("La firma debe llevar un X509Data con un X509Certificate.")
    try:
        certificate = read_certificate(_decode_base64(holders[0]))
    except ServiceError as cause:
        raise ServiceError("xml-signature", cause.detail) from cause
    serials = list(data[0].iterchildren(_tag("X509IssuerSerial")))
    if len(serials) > 1 or any(not _matches_serial(issuer, certificate) for issuer in serials):
        _reject("X509IssuerSerial no es del certificado de la firma.")
    return certificate


def _matches_serial(issuer_serial: etree._Element, certificate: Certificate) -> bool:
    """Compare the serial, in any form that programs write; the forms of the issuer's name differ too much."""
    _, written = _children(issuer_serial, "X509IssuerName", "X509SerialNumber")
    serial = _serial(certificate)
    text = "".join((written.text or "").split()).lower()
    return text in {str(serial), certificate.number, f"{serial:x}", f"{serial:040x}"}


def _serial(certificate: Certificate) -> int:
    number = certificate.number
    is_sat = len(number) == SAT_SERIAL_DIGITS and number.isdigit()
    return int.from_bytes(number.encode(), "big") if is_sat else int(number or "0", 16)


def _children(node: etree._Element, *names: str) -> list[etree._Element]:
    """Return the child elements, which must be exactly these, in this order."""
    children = list(node.iterchildren("*"))
    if [child.tag for child in children] != [_tag(name) for name in names]:
        _reject(f"La firma está mal formada en {etree.QName(node).localname}.")
    return children


def _require_algorithm(table: dict[str, Digest], method: etree._Element) -> Digest:
    digest = table.get(method.get("Algorithm") or "")
    if digest is None or len(method):
        _reject("La firma usa un algoritmo que no se admite.")
    return digest


def _decode_base64(node: etree._Element) -> bytes:
    try:
        return strict_base64("".join((node.text or "").split()))
    except ValueError:
        _reject(f"{etree.QName(node).localname} no es base64.")


def _add(parent: etree._Element, name: str, **attributes: str) -> etree._Element:
    return etree.SubElement(parent, _tag(name), attributes)


def _tag(name: str) -> str:
    return f"{{{DSIG}}}{name}"


def _reject(detail: str) -> NoReturn:
    raise ServiceError("xml-signature", detail)


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
