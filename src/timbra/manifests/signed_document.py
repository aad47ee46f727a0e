"""The signed manifest as XML: the text of the provider, who signed it when and from where, and the e.firma's signature.

The signature is XMLDSig with SHA-256, enveloped; it covers the whole document.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from lxml import etree

from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError
from timbra.seals.certificates.certificate import Certificate, CertificateKind
from timbra.seals.certificates.trust_store import TrustStore
from timbra.seals.signers.port import Signer
from timbra.seals.xml_signatures import xmldsig

INVALID = "manifest-invalid"
NAMESPACE = "urn:timbra:manifiesto:1"
VERSION = "1.0"
FIELDS = ("rfc", "nombre", "certificado", "fecha", "proveedor_rfc", "proveedor_nombre")
"""What a template may have between braces."""
MAX_TEXT = 200_000
_FIELD = re.compile(r"\{([a-z_]*)\}")
_PARSER = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True)


@dataclass(frozen=True, slots=True)
class SignedManifest:
    """A manifest whose signature was verified.

    Attributes:
        text: what was signed, with its fields filled.
        signed_at: when the server received the signature.
        address: the network address of the signer; empty when it is not known.
        digest: SHA-256 of the whole document, in hexadecimal.
    """

    rfc: str
    name: str
    certificate: Certificate
    signed_at: datetime
    provider_rfc: str
    address: str
    text: str
    digest: str


def fill(template: str, fields: Mapping[str, str]) -> str:
    """Return the text of a template with its fields.

    Raises:
        ServiceError: "manifest-invalid" for a field that does not exist, and for a text that XML cannot have.
    """
    if unknown := sorted({name for name in _FIELD.findall(template) if name not in FIELDS}):
        raise ServiceError(INVALID, f"La plantilla tiene campos que no existen: {', '.join(unknown)}.")
    text = _FIELD.sub(lambda found: fields.get(found[1], ""), template.replace("\r\n", "\n")).strip()
    if not text or len(text) > MAX_TEXT or any(ord(each) < ord(" ") and each not in "\n\t" for each in text):
        raise ServiceError(INVALID, f"La plantilla tiene de 1 a {MAX_TEXT} caracteres, sin caracteres de control.")
    return text


def sign(
    text: str, certificate: Certificate, signer: Signer, signed_at: datetime, provider_rfc: str, address: str
) -> bytes:
    """Return the signed document.

    Args:
        certificate: the e.firma.
        signed_at: instant of the signature.
        address: the network address of the signer.
    """
    root = etree.Element(
        _tag("Manifiesto"),
        nsmap={None: NAMESPACE},  # type: ignore[dict-item]
        Version=VERSION,
        Rfc=certificate.rfc,
        Nombre=certificate.name,
        NoCertificado=certificate.number,
        Fecha=signed_at.astimezone(CENTRAL_MEXICO).isoformat(timespec="seconds"),
        RfcProveedor=provider_rfc,
        Direccion=address,
    )
    etree.SubElement(root, _tag("Texto")).text = text
    xmldsig.sign(root, certificate, signer, "sha256")
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def verify(document: bytes, trust: TrustStore) -> SignedManifest:
    """Verify a signed document: its signature, and the certificate as `require_efirma` at the instant of the signature.

    Raises:
        ServiceError: "manifest-invalid" with the reason.
    """
    try:
        root = etree.fromstring(document, _PARSER)
    except etree.XMLSyntaxError as error:
        raise ServiceError(INVALID, "El documento no es un manifiesto firmado en XML.") from error
    if root.tag != _tag("Manifiesto"):
        raise ServiceError(INVALID, "El documento no es un manifiesto firmado en XML.")
    try:
        verified = xmldsig.verify(root)
    except ServiceError as error:
        raise ServiceError(INVALID, error.detail or "La firma no es válida.") from error
    signed = etree.fromstring(verified.content, _PARSER)
    certificate = verified.certificate
    try:
        signed_at = datetime.fromisoformat(str(signed.get("Fecha")))
        text = str(signed.findtext(_tag("Texto")) or "")
        values = {name: str(signed.attrib[name]) for name in ("Rfc", "Nombre", "RfcProveedor", "Direccion")}
    except (ValueError, KeyError) as error:
        raise ServiceError(INVALID, "Al manifiesto le faltan datos.") from error
    if signed_at.tzinfo is None:
        raise ServiceError(INVALID, "La fecha del manifiesto no tiene zona horaria.")
    require_efirma(certificate, values["Rfc"], signed_at, trust)
    digest = hashlib.sha256(document).hexdigest()
    provider_rfc, address = values["RfcProveedor"], values["Direccion"]
    return SignedManifest(values["Rfc"], values["Nombre"], certificate, signed_at, provider_rfc, address, text, digest)


def require_efirma(certificate: Certificate, rfc: str, at: datetime, trust: TrustStore) -> None:
    """Check that a certificate is the e.firma of a taxpayer, of a trusted authority, and valid at an instant.

    Raises:
        ServiceError: "certificate-not-efirma", "certificate-expired", or "manifest-invalid" for another RFC or an
            authority that is not trusted.
    """
    if certificate.kind is CertificateKind.CSD:
        detail = "Es un certificado de sello digital (CSD): el manifiesto se firma con la e.firma."
        raise ServiceError("certificate-not-efirma", detail)
    if certificate.kind is not CertificateKind.EFIRMA:
        raise ServiceError("certificate-not-efirma", "El manifiesto se firma con la e.firma.")
    if certificate.rfc != rfc:
        raise ServiceError(INVALID, f"La e.firma es de {certificate.rfc}; el manifiesto es de {rfc}.")
    if trust.issuer_of(certificate) is None:
        raise ServiceError(INVALID, "La e.firma no la emitió una autoridad del SAT.")
    if at > certificate.valid_to:
        raise ServiceError("certificate-expired", f"La e.firma venció el {certificate.valid_to:%Y-%m-%d}.")
    if at < certificate.valid_from:
        raise ServiceError("certificate-expired", f"La e.firma vale desde el {certificate.valid_from:%Y-%m-%d}.")


def _tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"
