"""Secrets that all processes of one service share, as ciphertext."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import delete, select, update

from timbra.database.database import Database
from timbra.database.tables.accounts import SECRET
from timbra.database.transaction import Transaction


class SecretRepository:
    """Rows of `secret`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, name: str) -> bytes | None:
        """Return the ciphertext of a secret."""
        with self._database.read() as transaction:
            return transaction.execute(select(SECRET.c.sealed).where(SECRET.c.name == name)).scalar_one_or_none()

    def any(self) -> bytes | None:
        """Return the ciphertext of any secret; None in a new database."""
        with self._database.read() as transaction:
            return transaction.execute(select(SECRET.c.sealed).order_by(SECRET.c.name).limit(1)).scalar_one_or_none()

    def insert_if_absent(self, name: str, sealed: bytes) -> None:
        """Insert a secret unless another process has inserted it."""
        with self._database.write() as transaction:
            statement = self._database.insert(SECRET).values(name=name, sealed=sealed)
            transaction.execute(statement.on_conflict_do_nothing())


def list_secrets(transaction: Transaction) -> Mapping[str, bytes]:
    """Return the ciphertext of every secret by its name."""
    return {row.name: row.sealed for row in transaction.execute(select(SECRET))}


def replace_secret(transaction: Transaction, name: str, sealed: bytes) -> None:
    """Store another ciphertext of the same secret."""
    transaction.execute(update(SECRET).where(SECRET.c.name == name).values(sealed=sealed))


def insert_secret(database: Database, transaction: Transaction, name: str, sealed: bytes) -> None:
    """Insert a secret, or replace the one of this name."""
    statement = database.insert(SECRET).values(name=name, sealed=sealed)
    statement = statement.on_conflict_do_update(index_elements=[SECRET.c.name], set_={"sealed": sealed})
    transaction.execute(statement)


def delete_secrets(transaction: Transaction, names: Sequence[str]) -> None:
    transaction.execute(delete(SECRET).where(SECRET.c.name.in_(names)))
