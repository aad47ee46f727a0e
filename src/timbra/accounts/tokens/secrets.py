"""The secrets of tokens: one signs, and earlier ones verify for some time."""

from __future__ import annotations

import secrets
from datetime import datetime

from timbra.accounts.secrets import BYTES, TOKENS, secret_context, shared_secret
from timbra.accounts.store.secret_repository import (
    delete_secrets,
    insert_secret,
    list_secrets,
    replace_secret,
)
from timbra.accounts.tokens.tokens import PreviousSecret
from timbra.database.database import Database
from timbra.database.transaction import Transaction
from timbra.seals.encryption.envelope import EnvelopeEncryption

PREVIOUS = "tokens until "
"""Beginning of the names of previous secrets of tokens; microseconds since 1970 follow."""
MICROSECONDS = 1_000_000


def token_secrets(database: Database, envelope: EnvelopeEncryption) -> tuple[bytes, list[PreviousSecret]]:
    """Return the secret that signs tokens, and the previous ones that still verify them."""
    current = shared_secret(database, envelope)
    with database.read() as transaction:
        stored = list_secrets(transaction)
    previous = [
        PreviousSecret(envelope.open(sealed, secret_context(name)), int(name.removeprefix(PREVIOUS)) / MICROSECONDS)
        for name, sealed in stored.items()
        if name.startswith(PREVIOUS)
    ]
    return current, previous


def replace_token_secret(
    database: Database, transaction: Transaction, envelope: EnvelopeEncryption, until: datetime, now: datetime
) -> None:
    """Store a new secret of tokens, keep the present one until an instant, and delete those that ended.

    Args:
        transaction: A write transaction that excludes other replacements.
        until: End of the present secret.
        now: Wall instant.
    """
    stored = list_secrets(transaction)
    ended = [name for name in stored if name.startswith(PREVIOUS) and int(name.removeprefix(PREVIOUS)) <= _number(now)]
    delete_secrets(transaction, ended)
    present = envelope.open(stored[TOKENS], secret_context(TOKENS))
    name = f"{PREVIOUS}{_number(until)}"
    insert_secret(database, transaction, name, envelope.close(present, secret_context(name)))
    replace_secret(transaction, TOKENS, envelope.close(secrets.token_bytes(BYTES), secret_context(TOKENS)))


def _number(instant: datetime) -> int:
    return int(instant.timestamp() * MICROSECONDS)
