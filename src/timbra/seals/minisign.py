"""Signatures of files in the format of minisign: Ed25519 over the BLAKE2b-512 hash of the file, in a file of their own.

The program `minisign -V` verifies them too. Source: https://jedisct1.github.io/minisign/, "Signature format".
"""

from __future__ import annotations

import hashlib
from base64 import b64decode, b64encode
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from timbra.core.errors import ServiceError

SUFFIX = ".minisig"
HASH_BYTES = 64
_KEY, _PREHASHED = b"Ed", b"ED"
_COMMENT, _TRUSTED = "untrusted comment: ", "trusted comment: "
_LONGEST_FILE = 4096


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key.

    Attributes:
        key: The key, 32 bytes.
        key_id: 8 bytes that distinguish keys.
    """

    key: bytes
    key_id: bytes

    @property
    def name(self) -> str:
        """The identifier as minisign writes it: 16 hexadecimal digits."""
        return self.key_id[::-1].hex().upper()

    def to_text(self) -> str:
        """Return the content of a public key file."""
        return f"{_COMMENT}minisign public key {self.name}\n{b64encode(_KEY + self.key_id + self.key).decode()}\n"


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key."""

    key: Ed25519PrivateKey

    @property
    def public_key(self) -> PublicKey:
        """The public key; its identifier is derived from it."""
        raw = self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return PublicKey(raw, hashlib.blake2b(raw, digest_size=8).digest())

    def to_pem(self) -> bytes:
        """Return the private key as PEM (PKCS#8), unencrypted."""
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    def sign(self, digest: bytes, comment: str) -> str:
        """Sign a hash.

        Args:
            digest: BLAKE2b-512 of the file, 64 bytes.
            comment: One line that the signature covers too.

        Returns:
            The content of the signature file.
        """
        signature = self.key.sign(digest)
        packed = b64encode(_PREHASHED + self.public_key.key_id + signature).decode()
        covered = b64encode(self.key.sign(signature + comment.encode())).decode()
        name = self.public_key.name
        return f"{_COMMENT}signature from minisign key {name}\n{packed}\n{_TRUSTED}{comment}\n{covered}\n"


def create_signing_key() -> SigningKey:
    return SigningKey(Ed25519PrivateKey.generate())


def read_signing_key(file: Path) -> SigningKey:
    """Read a private key.

    Raises:
        ServiceError: "backup-key" when the file cannot be read or is no Ed25519 key in PEM without password.
    """
    try:
        key = load_pem_private_key(file.read_bytes(), None)
    except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise ServiceError("backup-key", f"{file} no es una clave para firmar.") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise ServiceError("backup-key", f"{file} no es una clave Ed25519.")
    return SigningKey(key)


def read_public_key(file: Path) -> PublicKey:
    """Read a public key file of minisign, or its second line alone.

    Raises:
        ServiceError: "backup-key" when the file cannot be read or is no such key.
    """
    try:
        lines = [line for line in file.read_text("utf-8").splitlines() if line and not line.startswith(_COMMENT)]
        raw = b64decode(lines[0], validate=True)
    except (OSError, ValueError, IndexError) as error:
        raise ServiceError("backup-key", f"{file} no es una clave pública de minisign.") from error
    if len(raw) != 42 or raw[:2] != _KEY:
        raise ServiceError("backup-key", f"{file} no es una clave pública de minisign.")
    return PublicKey(raw[10:], raw[2:10])


def read_signature_file(file: Path) -> str:
    """Read a signature file.

    Raises:
        ServiceError: "backup-signature" when the file is missing or too long to be a signature.
    """
    try:
        with file.open("r", encoding="utf-8") as opened:
            text = opened.read(_LONGEST_FILE + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise ServiceError("backup-signature", f"No se puede leer la firma {file}.") from error
    if len(text) > _LONGEST_FILE:
        raise ServiceError("backup-signature", f"{file} no es una firma de minisign.")
    return text


def verify(signature: str, digest: bytes, public_key: PublicKey) -> str:
    """Verify a signature.

    Args:
        signature: The content of the signature file.
        digest: BLAKE2b-512 of the signed file, 64 bytes.
        public_key: The key that must have signed.

    Returns:
        The trusted comment, which the signature covers.

    Raises:
        ServiceError: "backup-signature" when the signature is of another key, of other content, or no signature.
    """
    try:
        _, packed_text, trusted, covered_text = signature.splitlines()
        packed, covered = b64decode(packed_text, validate=True), b64decode(covered_text, validate=True)
    except ValueError as error:
        raise ServiceError("backup-signature", "El archivo de la firma no tiene la forma de minisign.") from error
    if packed[:2] != _PREHASHED or len(packed) != 74 or not trusted.startswith(_TRUSTED):
        raise ServiceError("backup-signature", "El archivo de la firma no tiene la forma de minisign.")
    if packed[2:10] != public_key.key_id:
        raise ServiceError("backup-signature", f"La firma no es de la clave {public_key.name}.")
    comment, key = trusted.removeprefix(_TRUSTED), Ed25519PublicKey.from_public_bytes(public_key.key)
    try:
        key.verify(packed[10:], digest)
        key.verify(covered, packed[10:] + comment.encode())
    except InvalidSignature as error:
        raise ServiceError("backup-signature", "La firma no corresponde al archivo.") from error
    return comment
