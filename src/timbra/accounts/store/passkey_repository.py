"""Passkeys: public keys of authenticators, with the count of their signatures."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import ColumnElement, Row, Select, and_, delete, select, update

from timbra.accounts.store.second_factor_repository import Owner
from timbra.database.database import Database
from timbra.database.tables.accounts import PASSKEY
from timbra.database.transaction import Transaction

COLUMNS = PASSKEY.c


@dataclass(frozen=True, slots=True)
class StoredPasskey:
    """A passkey.

    Attributes:
        number: Of its row; 0 before it is stored.
        name: A text by which its user recognizes it.
        credential_id: The identifier that the authenticator chose.
        public_key: In the form of COSE.
        sign_count: The number of signatures that the authenticator named last; 0 for one that does not count.
    """

    number: int
    owner: Owner
    name: str
    credential_id: bytes = field(repr=False)
    public_key: bytes = field(repr=False)
    sign_count: int
    created_at: datetime
    used_at: datetime | None = None


class PasskeyRepository:
    """Rows of `passkey`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def insert(self, transaction: Transaction, passkey: StoredPasskey, challenge_at: datetime) -> bool:
        """Insert a passkey; return whether no user had it."""
        statement = self._database.insert(PASSKEY).values(
            account_id=passkey.owner.account_id,
            user_id=passkey.owner.user_id,
            name=passkey.name,
            credential_id=passkey.credential_id,
            public_key=passkey.public_key,
            sign_count=passkey.sign_count,
            created_at=passkey.created_at,
            challenge_at=challenge_at,
        )
        statement = statement.on_conflict_do_nothing(index_elements=[COLUMNS.credential_id])
        return transaction.execute(statement.returning(COLUMNS.id)).first() is not None

    def list_for(self, transaction: Transaction, owner: Owner) -> list[StoredPasskey]:
        """Return the passkeys of a user, oldest first."""
        return [_passkey(row) for row in transaction.execute(_query().where(_is_of(owner)).order_by(COLUMNS.id))]

    def find(self, transaction: Transaction, credential_id: bytes) -> StoredPasskey | None:
        row = transaction.execute(_query().where(COLUMNS.credential_id == credential_id)).one_or_none()
        return None if row is None else _passkey(row)

    def use(
        self, transaction: Transaction, passkey: StoredPasskey, sign_count: int, challenge_at: datetime, now: datetime
    ) -> bool:
        """Store a signature; return whether its challenge is newer than the last one and its count is greater.

        The update decides: of several transactions with one answer, also on several nodes, one gets the row.
        """
        counts = COLUMNS.sign_count < sign_count if sign_count else COLUMNS.sign_count == 0
        newer = update(PASSKEY).where(COLUMNS.id == passkey.number, COLUMNS.challenge_at < challenge_at, counts)
        values = {"sign_count": sign_count, "challenge_at": challenge_at, "used_at": now}
        return transaction.execute(newer.values(values).returning(COLUMNS.id)).first() is not None

    def delete(self, transaction: Transaction, owner: Owner, number: int) -> str | None:
        """Delete a passkey of a user; return its name, or None when the user does not have it."""
        statement = delete(PASSKEY).where(COLUMNS.id == number, _is_of(owner))
        return transaction.execute(statement.returning(COLUMNS.name)).scalar_one_or_none()


def _query() -> Select[tuple[object, ...]]:
    return select(PASSKEY)


def _is_of(owner: Owner) -> ColumnElement[bool]:
    return and_(COLUMNS.account_id == owner.account_id, COLUMNS.user_id == owner.user_id)


def _passkey(row: Row[tuple[object, ...]]) -> StoredPasskey:
    return StoredPasskey(
        number=row.id,
        owner=Owner(row.account_id, row.user_id),
        name=row.name,
        credential_id=row.credential_id,
        public_key=row.public_key,
        sign_count=row.sign_count,
        created_at=row.created_at,
        used_at=row.used_at,
    )
