"""The key that signs checkpoints and heads of the audit log: Ed25519, encrypted with the master key."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from timbra.core.clock import Clock
from timbra.database.database import Database
from timbra.database.transaction import Transaction
from timbra.events.audit.chain import AuditHead, head_content, insert_key, replace_key, sealed_keys
from timbra.seals.encryption.envelope import EnvelopeEncryption

KEY_ID_DIGITS = 16


def key_id_of(public_key: bytes) -> str:
    """Return the identifier of a raw public key."""
    return hashlib.sha256(public_key).hexdigest()[:KEY_ID_DIGITS]


def is_signed(head: AuditHead, public_keys: Mapping[str, bytes]) -> bool:
    """Whether one of these raw public keys, by identifier, signed a head."""
    public = public_keys.get(head.key_id)
    if public is None:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(head.signature, head.content())
    except (InvalidSignature, ValueError):
        return False
    return True


class AuditKeys:
    """The signing keys of one database. Only the master key opens them, so that a thief of the database cannot sign."""

    def __init__(self, envelope: EnvelopeEncryption, wall: Clock) -> None:
        self._envelope = envelope
        self._wall = wall
        self._opened: dict[str, Ed25519PrivateKey] = {}

    def sign(self, transaction: Transaction, sequence: int, digest: bytes) -> AuditHead:
        """Sign a head with the newest key; the first call creates one.

        Args:
            transaction: A write transaction that excludes other ones that sign.
            sequence: The sequence of the last link.
            digest: Its hash.

        Raises:
            ServiceError: "vault-key-unknown" or "vault-damaged" when the key cannot be decrypted.
        """
        key_id, at = self.newest(transaction), self._wall.now()
        signature = self._opened[key_id].sign(head_content(sequence, digest, at))
        return AuditHead(sequence, digest, at, key_id, signature)

    def newest(self, transaction: Transaction) -> str:
        """Return the identifier of the newest key; the first call creates one."""
        return self._open(transaction)[-1] if sealed_keys(transaction) else self._create(transaction)

    def private_key(self, key_id: str) -> Ed25519PrivateKey:
        """Return a key whose identifier `newest` returned."""
        return self._opened[key_id]

    def public_keys(self, transaction: Transaction) -> Mapping[str, bytes]:
        """Return the raw public keys by identifier, computed from the decrypted keys.

        Raises:
            ServiceError: "vault-key-unknown" or "vault-damaged" when a key cannot be decrypted.
        """
        return {key_id: _public(self._opened[key_id]) for key_id in self._open(transaction)}

    def _open(self, transaction: Transaction) -> list[str]:
        """Decrypt the stored keys, and return their identifiers, oldest first."""
        stored = sealed_keys(transaction)
        for key_id, sealed in stored.items():
            if key_id not in self._opened:
                seed = self._envelope.open(sealed, key_context(key_id))
                self._opened[key_id] = Ed25519PrivateKey.from_private_bytes(seed)
        return list(stored)

    def _create(self, transaction: Transaction) -> str:
        key = Ed25519PrivateKey.generate()
        key_id = key_id_of(_public(key))
        seed = key.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
        insert_key(transaction, key_id, self._envelope.close(seed, key_context(key_id)), self._wall.now())
        self._opened[key_id] = key
        return key_id


def rotate_audit_keys(_database: Database, transaction: Transaction, envelope: EnvelopeEncryption) -> int:
    """Encrypt every key that is under an older master key with the current one; return the number of them."""
    stale = {name: sealed for name, sealed in sealed_keys(transaction).items() if envelope.needs_rotation(sealed)}
    for key_id, sealed in stale.items():
        replace_key(transaction, key_id, envelope.rotate(sealed, key_context(key_id)))
    return len(stale)


def key_context(key_id: str) -> bytes:
    """Return the context to which the ciphertext of a key is bound."""
    return b"audit-key:" + key_id.encode()


def _public(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


ROTATIONS = (rotate_audit_keys,)
