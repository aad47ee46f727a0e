"""XML signatures as SAT's services use them: one, enveloped, over the whole document, by the holder of a certificate.

Anything else that XML-DSig allows is refused: references elsewhere, other transforms, several signatures, keys without
a certificate. Only what was signed is handed on, read anew from the octets whose digest was checked.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64encode
from copy import deepcopy
from dataclasses import dataclass, field
from typing import NoReturn

from lxml import etree

from timbra.errors import ServiceError
from timbra.seals.certificate import Certificate, read_certificate
from timbra.seals.digests import Digest
from timbra.seals.distinguished import name_text
from timbra.seals.encoding import strict_base64
from timbra.seals.names import SAT_SERIAL_DIGITS
from timbra.seals.seal import verify_signature
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
MOST_PREFIXES = 32
_PLAIN = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, strip_cdata=False)


@dataclass(frozen=True, slots=True)
class Signed:
    """What a signature vouches for. content: the document without its signature, canonical; read nothing else.

    certificate: who signed; whether it is trusted, in force and of the right kind is for the caller to judge.
    """

    certificate: Certificate
    content: bytes = field(repr=False)


def verify(root: etree._Element) -> Signed:
    """Verifies the signature inside a document. ServiceError("xml-signature") for anything that is not beyond doubt."""
    signature = _only_signature(root)
    info, value, key_info = _children(signature, "SignedInfo", "SignatureValue", "KeyInfo")
    method, algorithm, reference = _children(info, "CanonicalizationMethod", "SignatureMethod", "Reference")
    certificate = _certificate(key_info)
    content = _referenced(root, signature, reference)
    signed = _canonical(info, method)
    digest = _known(SIGNATURES, algorithm)
    if not verify_signature(certificate.public_key, signed, _decoded(value), digest):
        _refuse("La firma no corresponde al documento y al certificado.")
    return Signed(certificate, content)


def sign(
    root: etree._Element, certificate: Certificate, signer: Signer, digest: Digest = "sha1", name: str | None = None
) -> None:
    """Appends the signature of the certificate's holder to the root. name: its Id.

    SHA-1 is what the SAT's cancellation services are known to take. ServiceError as `Signer.sign`.
    """
    summary = hashlib.new(digest, _octets(root)).digest()
    signature = etree.SubElement(root, _tag("Signature"), nsmap={None: DSIG})  # type: ignore[dict-item]
    if name is not None:
        signature.set("Id", name)
    info = _add(signature, "SignedInfo")
    _add(info, "CanonicalizationMethod", Algorithm=INCLUSIVE)
    _add(info, "SignatureMethod", Algorithm=_SIGNATURE_URI[digest])
    reference = _add(info, "Reference", URI="")
    _add(_add(reference, "Transforms"), "Transform", Algorithm=ENVELOPED)
    _add(reference, "DigestMethod", Algorithm=_DIGEST_URI[digest])
    _add(reference, "DigestValue").text = b64encode(summary).decode()
    value = signer.sign(_octets(info), digest)
    _add(signature, "SignatureValue").text = b64encode(value).decode()
    data = _add(_add(signature, "KeyInfo"), "X509Data")
    issuer = _add(data, "X509IssuerSerial")
    _add(issuer, "X509IssuerName").text = name_text(certificate.issuer)
    _add(issuer, "X509SerialNumber").text = str(_serial(certificate))
    _add(data, "X509Certificate").text = b64encode(certificate.der).decode()


def _only_signature(root: etree._Element) -> etree._Element:
    found = list(root.iter(_tag("Signature")))
    if len(found) != 1 or found[0].getparent() is not root:
        _refuse("Debe haber una sola firma, dentro de la raíz del documento.")
    return found[0]


def _referenced(root: etree._Element, signature: etree._Element, reference: etree._Element) -> bytes:
    """The octets that the reference stands for, once their digest was compared."""
    transforms, method, value = _children(reference, "Transforms", "DigestMethod", "DigestValue")
    if reference.get("URI") != "":
        _refuse("La firma debe abarcar el documento completo (URI vacío).")
    steps = list(transforms.iterchildren("*"))
    if any(step.tag != _tag("Transform") for step in steps) or not 1 <= len(steps) <= 2:
        _refuse("La referencia de la firma lleva otras transformaciones que las que se admiten.")
    if steps[0].get("Algorithm") != ENVELOPED or len(steps[0]):
        _refuse("La primera transformación de la firma debe ser enveloped-signature.")
    whole = _without(root, signature)
    # A reference to the whole document never covers comments, whatever the transform after it is called.
    content = _canonical(whole, steps[1], comments=False) if len(steps) == 2 else _octets(whole)
    digest = hashlib.new(_known(DIGESTS, method), content).digest()
    if not hmac.compare_digest(digest, _decoded(value)):
        _refuse("El documento cambió después de firmarse: su resumen es otro.")
    return content


def _without(root: etree._Element, signature: etree._Element) -> etree._Element:
    """A copy of the document without its signature; the text after it stays."""
    copy = deepcopy(root)
    removed = copy[root.index(signature)]
    before = removed.getprevious()
    if before is None:
        copy.text = (copy.text or "") + (removed.tail or "")
    else:
        before.tail = (before.tail or "") + (removed.tail or "")
    copy.remove(removed)
    return copy


def _canonical(node: etree._Element, method: etree._Element, *, comments: bool = True) -> bytes:
    mode = CANONICAL.get(method.get("Algorithm") or "")
    if mode is None:
        _refuse("La forma canónica de la firma no se admite.")
    inner = list(method.iterchildren("*"))
    prefixes: list[str] = []
    if inner and mode["exclusive"] and len(inner) == 1 and inner[0].tag == _PREFIXES:
        prefixes = (inner[0].get("PrefixList") or "").split()
    elif inner:
        _refuse("La forma canónica de la firma lleva parámetros que no se admiten.")
    if len(prefixes) > MOST_PREFIXES:
        _refuse("La forma canónica de la firma nombra demasiados prefijos.")
    return _octets(node, mode["exclusive"], with_comments=comments and mode["with_comments"], prefixes=prefixes or None)


def _octets(
    node: etree._Element, exclusive: bool = False, *, with_comments: bool = False, prefixes: list[str] | None = None
) -> bytes:
    """Canonical XML of the element as the root of a document that declares what its ancestors declare.

    It is read anew first: asked for the inclusive form of an inner element, libxml2 undeclares namespaces in it.
    """
    alone = etree.fromstring(etree.tostring(node, with_tail=False), _PLAIN)
    return etree.tostring(
        alone, method="c14n", exclusive=exclusive, with_comments=with_comments, inclusive_ns_prefixes=prefixes
    )


def _certificate(key_info: etree._Element) -> Certificate:
    data = list(key_info.iterchildren(_tag("X509Data")))
    holders = list(data[0].iterchildren(_tag("X509Certificate"))) if len(data) == 1 else []
    if len(holders) != 1:
        _refuse("La firma debe llevar un X509Data con un X509Certificate.")
    try:
        certificate = read_certificate(_decoded(holders[0]))
    except ServiceError as cause:
        raise ServiceError("xml-signature", cause.detail) from cause
    serials = list(data[0].iterchildren(_tag("X509IssuerSerial")))
    if len(serials) > 1 or any(not _names(issuer, certificate) for issuer in serials):
        _refuse("X509IssuerSerial no es del certificado de la firma.")
    return certificate


def _names(issuer_serial: etree._Element, certificate: Certificate) -> bool:
    """By the serial alone, in any of the ways that programs write it; every one writes the issuer's name otherwise."""
    _, written = _children(issuer_serial, "X509IssuerName", "X509SerialNumber")
    serial = _serial(certificate)
    text = "".join((written.text or "").split()).lower()
    return text in {str(serial), certificate.number, f"{serial:x}", f"{serial:040x}"}


def _serial(certificate: Certificate) -> int:
    number = certificate.number
    is_sat = len(number) == SAT_SERIAL_DIGITS and number.isdigit()
    return int.from_bytes(number.encode(), "big") if is_sat else int(number or "0", 16)


def _children(node: etree._Element, *names: str) -> list[etree._Element]:
    """Exactly these elements, in this order."""
    children = list(node.iterchildren("*"))
    if [child.tag for child in children] != [_tag(name) for name in names]:
        _refuse(f"La firma está mal formada en {etree.QName(node).localname}.")
    return children


def _known(table: dict[str, Digest], method: etree._Element) -> Digest:
    digest = table.get(method.get("Algorithm") or "")
    if digest is None or len(method):
        _refuse("La firma usa un algoritmo que no se admite.")
    return digest


def _decoded(node: etree._Element) -> bytes:
    try:
        return strict_base64("".join((node.text or "").split()))
    except ValueError:
        _refuse(f"{etree.QName(node).localname} no es base64.")


def _add(parent: etree._Element, name: str, **attributes: str) -> etree._Element:
    return etree.SubElement(parent, _tag(name), attributes)


def _tag(name: str) -> str:
    return f"{{{DSIG}}}{name}"


def _refuse(detail: str) -> NoReturn:
    raise ServiceError("xml-signature", detail)
