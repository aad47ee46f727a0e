"""Sealing as a client does it, with the same parts that the server verifies with."""

from __future__ import annotations

from timbra.authority.sandbox.ca import MintedCredential
from timbra.seals.certificate import Certificate
from timbra.seals.keys import load_private_key, pair
from timbra.seals.signers.port import Signer
from timbra.service.sealing import sealed as service_sealed
from timbra.wiring import House


def sealed(house: House, text: str, credential: MintedCredential) -> bytes:
    """The document with the credential's certificate and a true seal."""
    key = load_private_key(credential.key_der, credential.password)
    return sealed_with(house, text, credential.certificate, pair(credential.certificate, key))


def sealed_with(house: House, text: str, certificate: Certificate, signer: Signer) -> bytes:
    """The document with this certificate and the signer's seal."""
    document = house.parser.parse(text.encode())
    return service_sealed(document, certificate, signer, house.tools.cadena)[0].source
