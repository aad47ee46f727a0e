"""Seals: RSA PKCS#1 v1.5 with SHA-256 over the UTF-8 of a cadena original, in base64."""

from __future__ import annotations

import base64

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from timbra.seals.base64_text import strict_base64
from timbra.seals.rsa_signature import verify_signature
from timbra.seals.signers.port import Signer


def seal(signer: Signer, cadena: str) -> str:
    """Return the seal of a cadena original."""
    return base64.b64encode(signer.sign(cadena.encode())).decode("ascii")


def verify(public_key: RSAPublicKey, cadena: str, sello: str) -> bool:
    """Whether a text is the seal of a cadena original.

    Args:
        public_key: The key of the certificate.
        cadena: The cadena original.
        sello: The seal in canonical base64; a text in another form is not a seal.
    """
    signature = seal_bytes(sello)
    return signature is not None and verify_signature(public_key, cadena.encode(), signature)


def seal_bytes(sello: str) -> bytes | None:
    """Decode the signature of a seal; None when the text is not canonical base64."""
    try:
        return strict_base64(sello)
    except ValueError:
        return None
