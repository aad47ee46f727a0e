"""Seal certificates (CSD) of accounts; their private keys are stored as ciphertext."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Row, select, tuple_, update

from timbra.accounts.store.models import EncryptedKey, StoredCertificate
from timbra.database.database import Database
from timbra.database.tables.accounts import CSD
from timbra.database.transaction import Transaction

KEYS_PER_PAGE = 200
_NEWEST_FIRST = (CSD.c.valid_from.desc(), CSD.c.number.desc())
_KEYS = select(CSD.c.account_id, CSD.c.number, CSD.c.certificate, CSD.c.sealed_key)


class CertificateRepository:
    """Rows of `csd`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(
        self,
        transaction: Transaction,
        account_id: int,
        certificate: StoredCertificate,
        sealed_key: bytes,
        at: datetime,
    ) -> None:
        """Insert a certificate, or replace the one that the account has under its number.

        Args:
            transaction: A write transaction.
            sealed_key: The ciphertext of the private key.
            at: Wall instant of the write.
        """
        values = {
            "kind": certificate.kind,
            "rfc": certificate.rfc,
            "name": certificate.name,
            "valid_from": certificate.valid_from,
            "valid_to": certificate.valid_to,
            "certificate": certificate.certificate,
            "sealed_key": sealed_key,
            "active": certificate.active,
            "stored_at": at,
        }
        statement = self._database.insert(CSD).values(account_id=account_id, number=certificate.number, **values)
        transaction.execute(statement.on_conflict_do_update(index_elements=["account_id", "number"], set_=values))

    def find(self, transaction: Transaction, account_id: int, number: str) -> StoredCertificate | None:
        row = transaction.execute(select(CSD).where(_key(account_id, number))).one_or_none()
        return None if row is None else _certificate(row)

    def list_for(
        self, transaction: Transaction, account_id: int, rfc: str | None = None
    ) -> Sequence[StoredCertificate]:
        """Return the certificates of an account, of one RFC if given, newest first; disabled ones included."""
        query = select(CSD).where(CSD.c.account_id == account_id)
        if rfc is not None:
            query = query.where(CSD.c.rfc == rfc)
        return [_certificate(row) for row in transaction.execute(query.order_by(*_NEWEST_FIRST))]

    def has_active(self, transaction: Transaction, rfc: str) -> bool:
        """Whether any account has an active certificate of the RFC."""
        query = select(CSD.c.number).where(CSD.c.rfc == rfc, CSD.c.active).limit(1)
        return transaction.execute(query).first() is not None

    def disable(self, transaction: Transaction, account_id: int, number: str) -> bool:
        """Disable a certificate; False when the account has none with this number."""
        statement = update(CSD).where(_key(account_id, number)).values(active=False)
        return bool(transaction.execute(statement).rowcount)

    def active_keys(self, transaction: Transaction, account_id: int, rfc: str) -> Sequence[EncryptedKey]:
        """Return the keys of the account's active certificates of an RFC, newest first."""
        query = _KEYS.where(CSD.c.account_id == account_id, CSD.c.rfc == rfc, CSD.c.active)
        return [EncryptedKey(*row) for row in transaction.execute(query.order_by(*_NEWEST_FIRST))]

    def lock_keys(self, transaction: Transaction, after: tuple[int, str]) -> Sequence[EncryptedKey]:
        """Return and lock the next keys of all accounts, at most `KEYS_PER_PAGE`.

        Args:
            transaction: A write transaction.
            after: Account and number of the last key of the previous page.
        """
        query = _KEYS.where(tuple_(CSD.c.account_id, CSD.c.number) > after)
        query = query.order_by(CSD.c.account_id, CSD.c.number).limit(KEYS_PER_PAGE).with_for_update()
        return [EncryptedKey(*row) for row in transaction.execute(query)]

    def replace_key(self, transaction: Transaction, key: EncryptedKey, sealed_key: bytes) -> None:
        """Store another ciphertext of the same private key."""
        statement = update(CSD).where(_key(key.account_id, key.number))
        transaction.execute(statement.values(sealed_key=sealed_key))


def _key(account_id: int, number: str) -> ColumnElement[bool]:
    return (CSD.c.account_id == account_id) & (CSD.c.number == number)


def _certificate(row: Row[tuple[object, ...]]) -> StoredCertificate:
    return StoredCertificate(
        row.number, row.kind, row.rfc, row.name, row.valid_from, row.valid_to, row.active, row.certificate
    )
