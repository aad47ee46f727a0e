"""Signatures of requests, in the forms in which programs in use sign them.

The SAT accepts signatures that no strict verifier of XML-DSig accepts where they stand in the message: programs
canonicalize SignedInfo as a document of its own, with or without the namespaces that .NET declares, and the digest is
that of the operation, of its inner element or of the whole message, canonical in one of two ways or as text.

Source: signed messages of public programs, with which the digests and signatures were computed again.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from lxml import etree

from timbra.core.errors import ServiceError
from timbra.emulator.bulk.codes import BAD_SIGNATURE, BulkDownloadError
from timbra.emulator.signed_requests import with_namespaces
from timbra.seals.certificates.certificate import Certificate, read_certificate
from timbra.seals.rsa_signature import Digest, verify_signature
from timbra.seals.xml_signatures.xmldsig import DIGESTS, DSIG, EXCLUSIVE, SIGNATURES

SignatureCheck = Literal["programs", "declared", "value"]
"""`programs`: any form of programs in use. `declared`: the declared algorithms. `value`: the RSA value alone."""
_XSD, _XSI = "http://www.w3.org/2001/XMLSchema", "http://www.w3.org/2001/XMLSchema-instance"
_PLAIN = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, strip_cdata=False)
_SIGNATURE = f"{{{DSIG}}}Signature"
_EMPTY_ELEMENT = re.compile(rb"<([^<>]*+)(?<!/)></[^<>]*+>")
_SIGNATURE_START = re.compile(rb"<(?:[\w.-]+:)?Signature[\s>]")
_SIGNATURE_END = re.compile(rb"</(?:[\w.-]+:)?Signature\s*+>")


@dataclass(frozen=True, slots=True)
class _Parts:
    signature: etree._Element
    info: etree._Element
    certificate: Certificate
    digest_algorithm: Digest
    digest: bytes
    signature_algorithm: Digest
    value: bytes


def verify_request(operation: etree._Element, message: bytes, check: SignatureCheck) -> Certificate:
    """Return the certificate that signed a request.

    Args:
        operation: The element inside the Body.
        message: The whole message, as received.
        check: How strictly to verify.

    Raises:
        BulkDownloadError: 302 when a part is missing, or nothing fits.
    """
    parts = _parts(operation)
    is_declared = check == "declared"
    if not any(
        verify_signature(parts.certificate.public_key, form, parts.value, parts.signature_algorithm)
        for form in _info_forms(parts.info, in_place_only=is_declared)
    ):
        raise BulkDownloadError(BAD_SIGNATURE)
    forms = _declared_forms(operation, parts) if is_declared else _content_forms(operation, message)
    if check != "value" and not any(
        hmac.compare_digest(hashlib.new(parts.digest_algorithm, form).digest(), parts.digest) for form in forms
    ):
        raise BulkDownloadError(BAD_SIGNATURE)
    return parts.certificate


def _parts(operation: etree._Element) -> _Parts:
    signatures = list(operation.iter(_SIGNATURE))
    if len(signatures) != 1:
        raise BulkDownloadError(BAD_SIGNATURE)
    [signature] = signatures
    try:
        info = _one(signature, "SignedInfo")
        reference = _one(info, "Reference")
        return _Parts(
            signature,
            info,
            read_certificate(_decoded(_one(signature, "KeyInfo/X509Data/X509Certificate"))),
            DIGESTS[_one(reference, "DigestMethod").get("Algorithm", "")],
            _decoded(_one(reference, "DigestValue")),
            SIGNATURES[_one(info, "SignatureMethod").get("Algorithm", "")],
            _decoded(_one(signature, "SignatureValue")),
        )
    except (ServiceError, ValueError, KeyError) as error:
        raise BulkDownloadError(BAD_SIGNATURE) from error


def _one(parent: etree._Element, path: str) -> etree._Element:
    found = parent.findall("/".join(f"{{{DSIG}}}{name}" for name in path.split("/")))
    if len(found) != 1:
        raise ValueError(path)
    return found[0]


def _decoded(node: etree._Element) -> bytes:
    return b64decode("".join((node.text or "").split()), validate=True)


def _info_forms(info: etree._Element, *, in_place_only: bool) -> Iterator[bytes]:
    """Yield the canonical forms of SignedInfo that programs sign."""
    method = info.find(f"{{{DSIG}}}CanonicalizationMethod")
    if in_place_only:
        yield _canonical(info, exclusive=method is not None and method.get("Algorithm") == EXCLUSIVE)
        return
    yield _canonical(info, exclusive=True)
    yield _canonical(info, exclusive=False)
    # A program may sign without a prefix and send with one that its library finds in the message.
    for prefix in dict.fromkeys((info.prefix, None)):
        own: dict[str | None, str] = {prefix: DSIG}
        for namespaces in (own, {**own, "xsd": _XSD, "xsi": _XSI}):
            yield _canonical(_renamed(info, namespaces), exclusive=False)


def _declared_forms(operation: etree._Element, parts: _Parts) -> Iterator[bytes]:
    """Yield the operation without its signature, canonical as the transforms declare it."""
    algorithms = [node.get("Algorithm") for node in parts.info.iter(f"{{{DSIG}}}Transform")]
    yield _canonical(_without_signature(operation, keeps_tail=True), exclusive=EXCLUSIVE in algorithms)


def _content_forms(operation: etree._Element, message: bytes) -> Iterator[bytes]:
    """Yield the forms of the signed content whose digest programs compute, the most frequent ones first."""
    root = operation.getroottree().getroot()
    path = root.getroottree().getelementpath(operation)
    for keeps_tail in (True, False):
        envelope = _without_signature(root, keeps_tail=keeps_tail)
        whole = envelope.find(path)
        if whole is None:
            continue
        inner = next(whole.iterchildren("*"), whole)
        for element in (whole, inner, envelope):
            yield _canonical(element, exclusive=True)
            yield _canonical(element, exclusive=False)
            own: dict[str | None, str] = {element.prefix: etree.QName(element).namespace or ""}
            yield _canonical(with_namespaces(element, own), exclusive=False)
    yield from _texts(operation, message)


def _texts(operation: etree._Element, message: bytes) -> Iterator[bytes]:
    """Yield the text of the operation, and of the element inside it, without the signature.

    A program that signs text inserts the signature afterwards: an empty element may have had one tag.
    """
    start, ends = _SIGNATURE_START.search(message), list(_SIGNATURE_END.finditer(message))
    plain = message if start is None or not ends else message[: start.start()] + message[ends[-1].end() :]
    inner = next(operation.iterchildren("*"), operation)
    for element in (operation, inner):
        name = re.escape(f"{element.prefix}:" if element.prefix else "") + re.escape(etree.QName(element).localname)
        found = re.search(rf"<{name}[\s>].*</{name}\s*>".encode(), plain, re.DOTALL)
        if found is not None:
            yield found[0]
            yield _EMPTY_ELEMENT.sub(rb"<\1/>", found[0])
    yield plain


def _without_signature(element: etree._Element, *, keeps_tail: bool) -> etree._Element:
    """Return a copy without the signature; the text after it is kept or removed."""
    copy = etree.fromstring(etree.tostring(element, encoding="utf-8", with_tail=False), _PLAIN)
    for signature in list(copy.iter(_SIGNATURE)):
        parent, before, tail = signature.getparent(), signature.getprevious(), signature.tail or ""
        if parent is None:
            continue
        parent.remove(signature)
        if not keeps_tail or not tail:
            continue
        if before is None:
            parent.text = (parent.text or "") + tail
        else:
            before.tail = (before.tail or "") + tail
    return copy


def _renamed(element: etree._Element, namespaces: Mapping[str | None, str]) -> etree._Element:
    """Return an element as `with_namespaces`, with the prefixes of these namespaces also in the elements inside it."""
    # The type stubs do not allow a default namespace.
    root = etree.Element(element.tag, nsmap=dict(namespaces))  # type: ignore[arg-type]
    _copy_content(element, root)
    return root


def _copy_content(source: etree._Element, target: etree._Element) -> None:
    for name, value in source.attrib.items():
        target.set(name, value)
    target.text = source.text
    for child in source.iterchildren("*"):
        copy = etree.SubElement(target, child.tag)
        copy.tail = child.tail
        _copy_content(child, copy)


def _canonical(element: etree._Element, *, exclusive: bool) -> bytes:
    """Return the canonical XML, with the namespaces of the ancestors in scope.

    The element is parsed again first: in the inclusive form of an inner element libxml2 undeclares namespaces.
    """
    alone = etree.fromstring(etree.tostring(element, encoding="utf-8", with_tail=False), _PLAIN)
    try:
        return etree.tostring(alone, method="c14n", exclusive=exclusive, with_comments=False)
    except etree.C14NError as error:
        raise BulkDownloadError(BAD_SIGNATURE) from error
