"""Seals: RSA PKCS#1 v1.5 over the UTF-8 of a cadena original, in base64.

The hash is SHA-256; SHA-1 only in documents of withdrawn versions, which are validated and never made.
"""

from __future__ import annotations

import base64

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from timbra.seals.base64_text import strict_base64
from timbra.seals.rsa_signature import Digest, verify_signature
from timbra.seals.signers.port import Signer


def seal(signer: Signer, cadena: str) -> str:
    return base64.b64encode(signer.sign(cadena.encode())).decode("ascii")


def verify(public_key: RSAPublicKey, cadena: str, sello: str, digest: Digest = "sha256") -> bool:
    """Whether a text is the seal of a cadena original.

    Args:
        public_key: The key of the certificate.
        sello: The seal in canonical base64; a text in another form is not a seal.
        digest: The hash of the seal.
    """
    signature = seal_bytes(sello)
    return signature is not None and verify_signature(public_key, cadena.encode(), signature, digest)


def seal_bytes(sello: str) -> bytes | None:
    """Decode the signature of a seal; None when the text is not canonical base64."""
    try:
        return strict_base64(sello)
    except ValueError:
        return None
