"""Secrets that all processes of one service share: made once, kept under the master key."""

from __future__ import annotations

import secrets

from sqlalchemy import Connection, select, update
from sqlalchemy.exc import IntegrityError

from timbra.seals.envelope import Envelope
from timbra.store.database import Database
from timbra.store.tables.accounts import SECRET

TOKENS = "tokens"
BYTES = 32


def shared_secret(database: Database, envelope: Envelope, name: str = TOKENS) -> bytes:
    """The secret of this name, made at first use; of several processes that make it at once, one wins.

    ServiceError("vault-key-unknown") when it lies under a master key that is not configured.
    """
    sealed = _stored(database, name)
    if sealed is None:
        fresh = envelope.close(secrets.token_bytes(BYTES), _context(name))
        try:
            with database.write() as connection:
                connection.execute(SECRET.insert().values(name=name, sealed=fresh))
        except IntegrityError:
            fresh = b""
        sealed = fresh or _stored(database, name) or b""
    return envelope.open(sealed, _context(name))


def rotate_secrets(connection: Connection, envelope: Envelope) -> int:
    """Closes every secret anew that lies under an older master key; how many those were."""
    stale = [row for row in connection.execute(select(SECRET)) if envelope.needs_rotation(row.sealed)]
    for row in stale:
        sealed = envelope.rotate(row.sealed, _context(row.name))
        connection.execute(update(SECRET).where(SECRET.c.name == row.name).values(sealed=sealed))
    return len(stale)


def _stored(database: Database, name: str) -> bytes | None:
    with database.read() as connection:
        return connection.execute(select(SECRET.c.sealed).where(SECRET.c.name == name)).scalar_one_or_none()


def _context(name: str) -> bytes:
    return b"secret:" + name.encode()
