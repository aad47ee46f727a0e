"""Signing of requests to the authority as a taxpayer's program does it."""

from __future__ import annotations

from lxml import etree

from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.signers.memory import pair_key
from timbra.seals.xml_signatures.xmldsig import sign

DECLARATION = b'<?xml version="1.0" encoding="utf-8"?>'


def signed(credential: MintedCredential, root: etree._Element) -> bytes:
    """Return the document with the credential's signature."""
    key = load_private_key(credential.key_der, credential.password)
    sign(root, credential.certificate, pair_key(credential.certificate, key))
    return DECLARATION + etree.tostring(root, encoding="utf-8")
