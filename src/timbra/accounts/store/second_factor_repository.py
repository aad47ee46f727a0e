"""Second factors: the secret of one-time codes, and recovery codes, of which only the SHA-256 is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Column, ColumnElement, Table, and_, delete, exists, func, or_, select, update

from timbra.database.database import Database
from timbra.database.tables.accounts import ACCOUNT, ACCOUNT_USER, PASSKEY, RECOVERY_CODE, TOTP
from timbra.database.transaction import Transaction

ACCOUNT_ITSELF = 0
"""The `user_id` of the user of the account itself."""
NEVER = -1
"""The step of a secret of which no code was used."""


@dataclass(frozen=True, slots=True)
class Owner:
    """The user to whom a factor belongs.

    Attributes:
        user_id: The user of the account; 0 for the user of the account itself.
    """

    account_id: int
    user_id: int


@dataclass(frozen=True, slots=True)
class StoredTotp:
    """The secret of one-time codes; `confirmed_at` is None until the first right code."""

    sealed_secret: bytes = field(repr=False)
    created_at: datetime
    confirmed_at: datetime | None


def has_factor(account_id: Column[int], user_id: Column[int] | int) -> ColumnElement[bool]:
    """Return the condition that a user has a second factor."""
    own = (TOTP.c.account_id == account_id) & (TOTP.c.user_id == user_id)
    passkey = exists().where(PASSKEY.c.account_id == account_id, PASSKEY.c.user_id == user_id)
    return or_(exists().where(own, TOTP.c.confirmed_at.is_not(None)), passkey)


def delete_factors(transaction: Transaction, account_id: int, user_id: int | None = None) -> None:
    """Delete the factors of a user; of all users of the account when `user_id` is None."""
    for table in (TOTP, PASSKEY, RECOVERY_CODE):
        rows = delete(table).where(table.c.account_id == account_id)
        transaction.execute(rows if user_id is None else rows.where(table.c.user_id == user_id))


class SecondFactorRepository:
    """Rows of `totp` and `recovery_code`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def mark_changed(self, transaction: Transaction, owner: Owner, changed: int) -> None:
        """Let the caches of all processes read the user again; `changed` is the version of the area "accounts"."""
        table = ACCOUNT_USER if owner.user_id else ACCOUNT
        number = owner.user_id or owner.account_id
        transaction.execute(update(table).where(table.c.id == number).values(changed=changed))

    def totp(self, transaction: Transaction, owner: Owner) -> StoredTotp | None:
        query = select(TOTP.c.sealed_secret, TOTP.c.created_at, TOTP.c.confirmed_at).where(_is(TOTP, owner))
        row = transaction.execute(query).one_or_none()
        return None if row is None else StoredTotp(*row)

    def insert_totp(self, transaction: Transaction, owner: Owner, sealed: bytes, now: datetime) -> bool:
        """Store an unconfirmed secret in place of another unconfirmed one; return whether there is no confirmed one."""
        values = {"sealed_secret": sealed, "created_at": now, "confirmed_at": None, "last_step": NEVER}
        statement = self._database.insert(TOTP).values(account_id=owner.account_id, user_id=owner.user_id, **values)
        statement = statement.on_conflict_do_update(
            index_elements=[TOTP.c.account_id, TOTP.c.user_id], set_=values, where=TOTP.c.confirmed_at.is_(None)
        )
        return transaction.execute(statement.returning(TOTP.c.account_id)).first() is not None

    def use_step(self, transaction: Transaction, owner: Owner, sealed: bytes, step: int) -> bool:
        """Store the step of a right code; return whether neither its code nor a newer one was used before.

        The update decides: of several transactions, also on several nodes, one gets the row.
        """
        unused = update(TOTP).where(_is(TOTP, owner), TOTP.c.sealed_secret == sealed, TOTP.c.last_step < step)
        return transaction.execute(unused.values(last_step=step).returning(TOTP.c.account_id)).first() is not None

    def confirm_totp(self, transaction: Transaction, owner: Owner, now: datetime) -> None:
        transaction.execute(update(TOTP).where(_is(TOTP, owner)).values(confirmed_at=now))

    def delete_totp(self, transaction: Transaction, owner: Owner) -> bool:
        """Delete the secret; return whether there was one."""
        return transaction.execute(delete(TOTP).where(_is(TOTP, owner))).rowcount > 0

    def replace_codes(self, transaction: Transaction, owner: Owner, hashes: Sequence[bytes]) -> None:
        """Delete the recovery codes of a user, and insert others."""
        transaction.execute(delete(RECOVERY_CODE).where(_is(RECOVERY_CODE, owner)))
        rows = [{"account_id": owner.account_id, "user_id": owner.user_id, "code_hash": each} for each in hashes]
        if rows:
            transaction.execute(RECOVERY_CODE.insert(), rows)

    def use_code(self, transaction: Transaction, owner: Owner, code_hash: bytes) -> bool:
        """Delete a recovery code; return whether it existed. Of several transactions one gets the row."""
        used = delete(RECOVERY_CODE).where(_is(RECOVERY_CODE, owner), RECOVERY_CODE.c.code_hash == code_hash)
        return transaction.execute(used.returning(RECOVERY_CODE.c.account_id)).first() is not None

    def count_codes(self, transaction: Transaction, owner: Owner) -> int:
        query = select(func.count()).select_from(RECOVERY_CODE).where(_is(RECOVERY_CODE, owner))
        return int(transaction.execute(query).scalar_one())

    def has_factor(self, transaction: Transaction, owner: Owner) -> bool:
        table = ACCOUNT_USER if owner.user_id else ACCOUNT
        number = owner.user_id or owner.account_id
        account_id = ACCOUNT_USER.c.account_id if owner.user_id else ACCOUNT.c.id
        query = select(has_factor(account_id, owner.user_id)).where(table.c.id == number)
        return bool(transaction.execute(query).scalar_one_or_none())

    def users_with_factor(self, transaction: Transaction, account_id: int) -> frozenset[int]:
        """Return the users of an account who have a second factor; 0 for the user of the account itself."""
        users = select(ACCOUNT_USER.c.id).where(ACCOUNT_USER.c.account_id == account_id)
        own = select(ACCOUNT.c.id).where(ACCOUNT.c.id == account_id)
        found = transaction.execute(users.where(has_factor(ACCOUNT_USER.c.account_id, ACCOUNT_USER.c.id))).scalars()
        itself = transaction.execute(own.where(has_factor(ACCOUNT.c.id, ACCOUNT_ITSELF))).first()
        return frozenset({*found, *([ACCOUNT_ITSELF] if itself else [])})


def _is(table: Table, owner: Owner) -> ColumnElement[bool]:
    return and_(table.c.account_id == owner.account_id, table.c.user_id == owner.user_id)
