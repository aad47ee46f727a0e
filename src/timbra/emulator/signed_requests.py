"""Signed documents inside SOAP messages: extraction, signature, and the certificate of the signer.

A taxpayer signs the document alone. Inside the message it may be in the scope of further namespaces, which belong to
its inclusive canonical form. The signature is therefore verified for the forms that programs sign: with the namespaces
in scope except those of SOAP, with those that .NET's serializer declares, with its own alone; each also without blank
text. Only the content of the form that verifies is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field

from lxml import etree

from timbra.core.errors import ServiceError
from timbra.core.soap import ENVELOPE
from timbra.emulator.simulated_sat import SimulatedSat
from timbra.seals.certificates.certificate import Certificate, CertificateKind
from timbra.seals.xml_signatures.blank_text import without_blank_text
from timbra.seals.xml_signatures.ws_security import SECURITY, UTILITY
from timbra.seals.xml_signatures.xmldsig import DSIG, verify

_OF_THE_MESSAGE = frozenset({ENVELOPE, SECURITY, UTILITY, DSIG})
_XSD, _XSI = "http://www.w3.org/2001/XMLSchema", "http://www.w3.org/2001/XMLSchema-instance"


@dataclass(frozen=True, slots=True)
class SignedDocument:
    """A document whose signature was verified.

    Attributes:
        certificate: The signer's certificate, which is not checked yet.
        content: The signed content, canonical.
    """

    certificate: Certificate
    content: bytes = field(repr=False)


def is_signed(element: etree._Element) -> bool:
    """Whether a document has a signature."""
    return element.find(f"{{{DSIG}}}Signature") is not None


def verify_embedded(element: etree._Element) -> SignedDocument | None:
    """Verify the signature of a document inside a message; None when it does not verify in any form."""
    for form in _forms(element):
        try:
            found = verify(form)
        except ServiceError:
            continue
        return SignedDocument(found.certificate, found.content)
    return None


def certificate_code(sat: SimulatedSat, certificate: Certificate, rfc: str) -> str | None:
    """Return the code of the cancellation services about the certificate of a signer; None when it is good.

    Args:
        sat: The trusted authorities and the list of certificates.
        certificate: The certificate.
        rfc: The RFC for which it signs.

    Source: Anexo 20, rubro I.C.
    """
    if certificate.kind is CertificateKind.EFIRMA:
        return "310"
    if certificate.kind is not CertificateKind.CSD or sat.trust.issuer_of(certificate) is None:
        return "305"
    if certificate.rfc != rfc:
        return "303"
    if not certificate.is_valid_at(sat.ledger.clock.now()) or sat.is_revoked(certificate):
        return "304"
    return None


def _forms(element: etree._Element) -> Iterator[etree._Element]:
    for namespaces in _namespaces(element):
        alone = with_namespaces(element, namespaces)
        yield alone
        plain = without_blank_text(alone)
        if plain is not None:
            yield plain


def _namespaces(element: etree._Element) -> Iterator[dict[str | None, str]]:
    """Return the sets of namespaces with which a program may have signed, without repetition."""
    in_scope: dict[str | None, str] = {
        prefix: uri for prefix, uri in element.nsmap.items() if uri not in _OF_THE_MESSAGE
    }
    own: dict[str | None, str] = {element.prefix: etree.QName(element).namespace or ""}
    serialized: dict[str | None, str] = {**own, "xsd": _XSD, "xsi": _XSI}
    tried: list[dict[str | None, str]] = []
    for namespaces in (in_scope, serialized, own):
        if namespaces not in tried:
            tried.append(namespaces)
            yield namespaces


def with_namespaces(element: etree._Element, namespaces: Mapping[str | None, str]) -> etree._Element:
    """Return the document as the root of its own, with these namespaces in scope."""
    # The type stubs do not allow a default namespace.
    root = etree.Element(element.tag, nsmap=dict(namespaces))  # type: ignore[arg-type]
    for name, value in element.attrib.items():
        root.set(name, value)
    root.text = element.text
    root.extend(deepcopy(child) for child in element)
    return root
