"""Sealing of a document in three steps: prepare the cadena original, sign it, write the seal into the document.

The steps are separate, so that a caller can wait for the signature, or sign many documents together.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from timbra.cfdi.byte_splice import set_root_attributes
from timbra.seals.seal import seal

if TYPE_CHECKING:
    from timbra.cfdi.cadena import CadenaOriginal
    from timbra.cfdi.document import Document
    from timbra.seals.certificates.certificate import Certificate
    from timbra.seals.signers.port import Signer


@dataclass(frozen=True, slots=True)
class UnsignedSeal:
    """A document that is ready for the signature of its issuer.

    Attributes:
        document: its tree already has the certificate's attributes, its bytes do not.
        certificate_attributes: NoCertificado and Certificado.
        cadena: the cadena original to sign.
        signer: the issuer's key.
    """

    document: Document
    certificate_attributes: Mapping[str, str] = field(repr=False)
    cadena: str = field(repr=False)
    signer: Signer = field(repr=False)


def prepare_seal(
    document: Document, certificate: Certificate, signer: Signer, originals: CadenaOriginal
) -> UnsignedSeal:
    """Set the certificate's attributes and build the cadena original.

    Args:
        document: must not be used afterwards, because its tree is changed.
        certificate: the issuer's certificate.
        signer: the issuer's key.

    Raises:
        KeyError: the version of the document has no cadena original.
    """
    attributes = _certificate_attributes(certificate)
    for name, value in attributes.items():
        document.root.set(name, value)
    return UnsignedSeal(document, attributes, originals.build(document.root, document.version), signer)


@lru_cache(maxsize=256)
def _certificate_attributes(certificate: Certificate) -> Mapping[str, str]:
    return {"NoCertificado": certificate.number, "Certificado": b64encode(certificate.der).decode()}


def sign_seal(unsigned: UnsignedSeal) -> str:
    """Sign the cadena original (RSA, about 0.3 ms) and return the seal in base64."""
    return seal(unsigned.signer, unsigned.cadena)


def finish_seal(unsigned: UnsignedSeal, sello: str) -> Document:
    """Write the three sealed attributes into the document."""
    return set_root_attributes(unsigned.document, {**unsigned.certificate_attributes, "Sello": sello})


def seal_document(document: Document, certificate: Certificate, signer: Signer, originals: CadenaOriginal) -> Document:
    """Prepare, sign and write the seal.

    Args:
        document: must not be used afterwards, because its tree is changed.
        certificate: the issuer's certificate.
        signer: the issuer's key.

    Raises:
        KeyError: the version of the document has no cadena original.
    """
    unsigned = prepare_seal(document, certificate, signer, originals)
    return finish_seal(unsigned, sign_seal(unsigned))
