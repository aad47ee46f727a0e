"""What a seal that does not verify was made of: the public key opens every RSA signature of its holder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA1, SHA256, SHA512, HashAlgorithm

SHORTEST_FILLING = 8
DIGEST_INFOS = {
    "md5": "3020300c06082a864886f70d020505000410",
    "sha1": "3021300906052b0e03021a05000414",
    "sha256": "3031300d060960864801650304020105000420",
    "sha384": "3041300d060960864801650304020205000430",
    "sha512": "3051300d060960864801650304020305000440",
}
"""RFC 8017, note 1 of 9.2: what stands before the digest, by the digest's name."""
PSS_ENDS = 0xBC
LONGEST_EXPONENT = 64


@dataclass(frozen=True, slots=True)
class Recovered:
    """digest_name: as in hashlib, empty when the signed text names none; then digest is that whole text."""

    digest_name: str
    digest: bytes


def recovered(public_key: RSAPublicKey, signature: bytes) -> Recovered | None:
    """What was signed by PKCS#1 v1.5 with the key's other half; None when the signature is not of that kind or key."""
    encoded = _opened(public_key, signature)
    filling, zero, signed = encoded[2:].partition(b"\0")
    padded = encoded[:2] == b"\0\1" and len(filling) >= SHORTEST_FILLING and filling == b"\xff" * len(filling)
    if not padded or not zero:
        return None
    for name, start in DIGEST_INFOS.items():
        head = bytes.fromhex(start)
        if signed.startswith(head) and len(signed) == len(head) + head[-1]:
            return Recovered(name, signed[len(head) :])
    return Recovered("", signed)


def is_pss(public_key: RSAPublicKey, signature: bytes, texts: Iterable[bytes]) -> bool:
    """Whether the signature is a PSS one of any of the texts, with the usual digests."""
    if not _opened(public_key, signature).endswith(bytes([PSS_ENDS])):
        return False
    digests: tuple[HashAlgorithm, ...] = (SHA256(), SHA1(), SHA512())  # noqa: S303 - told, never trusted
    return any(_is_pss(public_key, signature, text, digest) for text in texts for digest in digests)


def _opened(public_key: RSAPublicKey, signature: bytes) -> bytes:
    """RFC 8017, 5.2.2; as long as the key, of zeros when the signature is longer or the exponent absurd."""
    numbers = public_key.public_numbers()
    size = (public_key.key_size + 7) // 8
    number = int.from_bytes(signature, "big")
    if number >= numbers.n or numbers.e.bit_length() > LONGEST_EXPONENT:
        return bytes(size)
    return pow(number, numbers.e, numbers.n).to_bytes(size, "big")


def _is_pss(public_key: RSAPublicKey, signature: bytes, text: bytes, digest: HashAlgorithm) -> bool:
    try:
        public_key.verify(signature, text, PSS(MGF1(digest), PSS.AUTO), digest)
    except InvalidSignature:
        return False
    return True
