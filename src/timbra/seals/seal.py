"""Seals: RSA PKCS#1 v1.5 with SHA-256 over the UTF-8 of a cadena original, in base64."""

from __future__ import annotations

import base64

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from timbra.seals.base64_text import strict_base64
from timbra.seals.digest_algorithms import ALGORITHMS, Digest
from timbra.seals.signers.port import Signer


def seal(signer: Signer, cadena: str) -> str:
    """The seal of a cadena original."""
    return base64.b64encode(signer.sign(cadena.encode())).decode("ascii")


def verify(public_key: RSAPublicKey, cadena: str, sello: str) -> bool:
    """Whether `sello`, canonical base64, is the seal of `cadena` by the holder of the key."""
    signature = seal_bytes(sello)
    return signature is not None and verify_signature(public_key, cadena.encode(), signature)


def seal_bytes(sello: str) -> bytes | None:
    """The signature inside a seal, None when the text is no canonical base64."""
    try:
        return strict_base64(sello)
    except ValueError:
        return None


def verify_signature(public_key: RSAPublicKey, data: bytes, signature: bytes, digest: Digest = "sha256") -> bool:
    """Whether the raw signature is that of `data`."""
    try:
        public_key.verify(signature, data, PKCS1v15(), ALGORITHMS[digest]())
    except InvalidSignature:
        return False
    return True
