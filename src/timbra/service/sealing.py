"""Sealing a document: the three attributes that belong to its issuer, filled or replaced."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

from timbra.cfdi.splice import set_root_attributes
from timbra.seals.seal import seal

if TYPE_CHECKING:
    from timbra.cfdi.cadena import OriginalString
    from timbra.cfdi.document import Document
    from timbra.seals.certificate import Certificate
    from timbra.seals.signers.port import Signer


def sealed(
    document: Document, certificate: Certificate, signer: Signer, originals: OriginalString
) -> tuple[Document, str]:
    """The document with NoCertificado, Certificado and Sello, and the cadena original that was signed.

    `document` is used up. KeyError for a version that has no cadena original.
    """
    values = {"NoCertificado": certificate.number, "Certificado": b64encode(certificate.der).decode()}
    for name, value in values.items():
        document.root.set(name, value)
    cadena = originals.of(document.root, document.version)
    values["Sello"] = seal(signer, cadena)
    return set_root_attributes(document, values), cadena
