"""Recovery of the digest that an RSA signature contains, for the diagnosis of seals that do not verify."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA1, SHA256, SHA512, HashAlgorithm

from timbra.seals.rsa_signature import DIGEST_INFOS

MIN_PADDING_BYTES = 8
PSS_TRAILER = 0xBC
MAX_EXPONENT_BITS = 64


@dataclass(frozen=True, slots=True)
class RecoveredDigest:
    """A recovered digest.

    Attributes:
        digest_name: The name of the hash in hashlib; "" if the block has no DigestInfo.
        digest: The digest; the whole block if it has no DigestInfo.
    """

    digest_name: str
    digest: bytes


def recover_digest(public_key: RSAPublicKey, signature: bytes) -> RecoveredDigest | None:
    """Recover the digest of a PKCS#1 v1.5 signature.

    Returns:
        None if the signature has another padding or was made with another key.
    """
    encoded = _recover_block(public_key, signature)
    filling, zero, signed = encoded[2:].partition(b"\0")
    padded = encoded[:2] == b"\0\1" and len(filling) >= MIN_PADDING_BYTES and filling == b"\xff" * len(filling)
    if not padded or not zero:
        return None
    for name, head in DIGEST_INFOS.items():
        if signed.startswith(head) and len(signed) == len(head) + head[-1]:
            return RecoveredDigest(name, signed[len(head) :])
    return RecoveredDigest("", signed)


def is_pss(public_key: RSAPublicKey, signature: bytes, texts: Iterable[bytes]) -> bool:
    """Whether the signature is a PSS signature of any of the texts, with SHA-256, SHA-1 or SHA-512."""
    if not _recover_block(public_key, signature).endswith(bytes([PSS_TRAILER])):
        return False
    digests: tuple[HashAlgorithm, ...] = (SHA256(), SHA1(), SHA512())  # noqa: S303 - reported, never trusted
    return any(_is_pss(public_key, signature, text, digest) for text in texts for digest in digests)


def _recover_block(public_key: RSAPublicKey, signature: bytes) -> bytes:
    """Apply RSAVP1 (RFC 8017, 5.2.2); zeros for a signature of another size and an exponent above the limit."""
    numbers = public_key.public_numbers()
    size = (public_key.key_size + 7) // 8
    number = int.from_bytes(signature, "big")
    if len(signature) != size or number >= numbers.n or numbers.e.bit_length() > MAX_EXPONENT_BITS:
        return bytes(size)
    return pow(number, numbers.e, numbers.n).to_bytes(size, "big")


def _is_pss(public_key: RSAPublicKey, signature: bytes, text: bytes, digest: HashAlgorithm) -> bool:
    try:
        public_key.verify(signature, text, PSS(MGF1(digest), PSS.AUTO), digest)
    except InvalidSignature:
        return False
    return True
