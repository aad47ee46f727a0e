"""Sealing as a client does it, with the functions of the server."""

from __future__ import annotations

from timbra.app.composition import Container
from timbra.cfdi.build import document_parser
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.seals.certificates.certificate import Certificate
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.signers.memory import pair_key
from timbra.seals.signers.port import Signer
from timbra.stamping.build import stamping_services
from timbra.stamping.sealing import seal_document


def sealed(container: Container, text: str, credential: MintedCredential) -> bytes:
    """Return the document with the credential's certificate and a valid seal."""
    key = load_private_key(credential.key_der, credential.password)
    return sealed_with(container, text, credential.certificate, pair_key(credential.certificate, key))


def sealed_with(container: Container, text: str, certificate: Certificate, signer: Signer) -> bytes:
    """Return the document with this certificate and the signer's seal."""
    document = container.get(document_parser).parse(text.encode())
    return seal_document(document, certificate, signer, container.get(stamping_services).checks.cadena).source
