"""Secrets that all processes of one service share, stored under envelope encryption with the master key."""

from __future__ import annotations

import secrets

from timbra.accounts.store.secret_repository import SecretRepository, list_secrets, replace_secret
from timbra.database.database import Database
from timbra.database.state_version import STATE_AREA
from timbra.database.transaction import Transaction
from timbra.seals.encryption.envelope import EnvelopeEncryption

TOKENS = "tokens"
BYTES = 32


def shared_secret(database: Database, envelope: EnvelopeEncryption, name: str = TOKENS) -> bytes:
    """Return the secret of this name; the first process that needs it creates it.

    Raises:
        ServiceError: "vault-key-unknown" when it is encrypted under a master key that is not configured.
    """
    repository = SecretRepository(database)
    sealed = repository.find(name)
    if sealed is None:
        repository.insert_if_absent(name, envelope.close(secrets.token_bytes(BYTES), secret_context(name)))
        sealed = repository.find(name) or b""
    return envelope.open(sealed, secret_context(name))


class SharedSecret:
    """A shared secret in memory, which is read again after the state of the database was replaced."""

    def __init__(self, database: Database, envelope: EnvelopeEncryption, name: str) -> None:
        self._database = database
        self._envelope = envelope
        self._name = name
        self._state_version = database.cache_version(STATE_AREA)
        self._secret = shared_secret(database, envelope, name)

    def read(self) -> bytes:
        """Return the secret; no I/O while the state of the database is the same."""
        state_version = self._database.cache_version(STATE_AREA)
        if state_version != self._state_version:
            self._secret = shared_secret(self._database, self._envelope, self._name)
            self._state_version = state_version
        return self._secret


def rotate_secrets(transaction: Transaction, envelope: EnvelopeEncryption) -> int:
    """Encrypt every secret that is under an older master key with the current one; return the number of them."""
    stale = {name: sealed for name, sealed in list_secrets(transaction).items() if envelope.needs_rotation(sealed)}
    for name, sealed in stale.items():
        replace_secret(transaction, name, envelope.rotate(sealed, secret_context(name)))
    return len(stale)


def secret_context(name: str) -> bytes:
    """Return the context to which the ciphertext of a secret is bound."""
    return b"secret:" + name.encode()
