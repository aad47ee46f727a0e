"""Secrets of webhooks, encrypted at rest under the master key."""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import datetime

from timbra.database.database import Database
from timbra.database.transaction import Transaction
from timbra.seals.encryption.envelope import EnvelopeEncryption
from timbra.webhooks.store.models import Webhook
from timbra.webhooks.store.repository import WebhookRepository

PREFIX = "whsec_"
BYTES = 32


def new_secret() -> str:
    """Return a new random secret of 256 bits."""
    return PREFIX + secrets.token_urlsafe(BYTES)


class WebhookSecrets:
    """Encrypts and decrypts the secrets of endpoints; a ciphertext is bound to its endpoint."""

    def __init__(self, envelope: EnvelopeEncryption) -> None:
        self._envelope = envelope

    def seal(self, webhook_id: str, secret: str) -> bytes:
        """Encrypt the secret of an endpoint."""
        return self._envelope.close(secret.encode(), _context(webhook_id))

    def current(self, webhook: Webhook) -> str:
        """Return the secret of an endpoint. Raises ServiceError: "vault-key-unknown", "vault-damaged"."""
        return self._envelope.open(webhook.sealed_secret, _context(webhook.id)).decode()

    def valid(self, webhook: Webhook, at: datetime) -> list[str]:
        """Return the secrets that sign at a wall instant: the current one, then the previous one during a rotation.

        Raises:
            ServiceError: As `current`.
        """
        found = [self.current(webhook)]
        previous, until = webhook.sealed_previous, webhook.previous_until
        if previous is not None and until is not None and at < until:
            found.append(self._envelope.open(previous, _context(webhook.id)).decode())
        return found


def rotate_webhook_keys(database: Database, transaction: Transaction, envelope: EnvelopeEncryption) -> int:
    """Encrypt the secrets that are under an older master key with the current one; return the number of them."""
    repository, count = WebhookRepository(database), 0
    for webhook in repository.sealed(transaction):
        context, previous = _context(webhook.id), webhook.sealed_previous
        stale = [one for one in (webhook.sealed_secret, previous) if one is not None and envelope.needs_rotation(one)]
        if stale:
            count += len(stale)
            again = None if previous is None else envelope.rotate(previous, context)
            current = envelope.rotate(webhook.sealed_secret, context)
            repository.save(transaction, replace(webhook, sealed_secret=current, sealed_previous=again))
    return count


ROTATIONS = (rotate_webhook_keys,)


def _context(webhook_id: str) -> bytes:
    return b"webhook:" + webhook_id.encode()
