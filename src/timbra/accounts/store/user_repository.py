"""Users of accounts besides the account's own: insert, look up, list and change."""

from __future__ import annotations

from datetime import datetime
from uuid import uuid4

from sqlalchemy import ColumnElement, Row, false, select, update

from timbra.accounts.store.models import AccountUser, AccountUserRow, NewAccountUser
from timbra.accounts.store.second_factor_repository import has_factor
from timbra.database.tables.accounts import ACCOUNT, ACCOUNT_USER
from timbra.database.transaction import Transaction

COLUMNS = ACCOUNT_USER.c


class AccountUserRepository:
    """Rows of `account_user`. Methods omit removed users unless they state otherwise.

    The argument `changed` of several methods is the cache version of the area "accounts" in the caller's transaction.
    Writers increment it first, so that they check and insert names one after the other.
    """

    def insert(self, transaction: Transaction, changed: int, new: NewAccountUser) -> int:
        """Insert a user whose name is free; return its number."""
        values = {"account_id": new.account_id, "user": new.user, "name": new.name, "password": new.password}
        statement = ACCOUNT_USER.insert().values(
            **values,
            guid=str(uuid4()),
            generation=1,
            role=new.role,
            active=True,
            created_at=new.at,
            password_at=new.at,
            changed=changed,
        )
        number: int = transaction.execute(statement.returning(COLUMNS.id)).scalar_one()
        return number

    def is_name_taken(self, transaction: Transaction, name: str) -> bool:
        """Whether an account or a user has this normalized name."""
        accounts, users = select(ACCOUNT.c.id).where(ACCOUNT.c.name == name), select(COLUMNS.id)
        found = transaction.execute(accounts).first() or transaction.execute(users.where(COLUMNS.name == name)).first()
        return found is not None

    def find_by_name(self, transaction: Transaction, name: str) -> AccountUser | None:
        """Return the user with this normalized name."""
        return self._find(transaction, COLUMNS.name == name if name.isprintable() else false())

    def find_by_guid(self, transaction: Transaction, account_id: int, guid: str) -> AccountUser | None:
        """Return the user of an account with this identifier."""
        return self._find(transaction, (COLUMNS.account_id == account_id) & (COLUMNS.guid == guid.lower()))

    def list_for(self, transaction: Transaction, account_id: int) -> list[AccountUser]:
        """Return the users of an account, oldest first."""
        query = select(ACCOUNT_USER).where(COLUMNS.account_id == account_id, COLUMNS.removed_at.is_(None))
        return [_user(row) for row in transaction.execute(query.order_by(COLUMNS.id))]

    def changed_after(self, transaction: Transaction, version: int) -> list[AccountUserRow]:
        """Return the users that changed after a cache version, removed ones included."""
        factor = has_factor(COLUMNS.account_id, COLUMNS.id).label("has_second_factor")
        query = select(ACCOUNT_USER, factor).where(COLUMNS.changed > version)
        return [
            AccountUserRow(
                _user(row), row.name, row.password, row.removed_at is not None, row.changed, row.has_second_factor
            )
            for row in transaction.execute(query)
        ]

    def set_password(self, transaction: Transaction, user_id: int, changed: int, encoded: str, at: datetime) -> None:
        """Store a new password hash, and increment the generation."""
        values = {"password": encoded, "generation": COLUMNS.generation + 1, "password_at": at, "changed": changed}
        transaction.execute(update(ACCOUNT_USER).where(COLUMNS.id == user_id).values(values))

    def set_role(self, transaction: Transaction, user_id: int, changed: int, role: str, active: bool) -> None:
        """Store the role, and whether the user may log in."""
        values = {"role": role, "active": active, "changed": changed}
        transaction.execute(update(ACCOUNT_USER).where(COLUMNS.id == user_id).values(values))

    def mark_removed(self, transaction: Transaction, user_id: int, changed: int, at: datetime) -> None:
        """Remove a user permanently, and free its name: no user name contains a blank."""
        values = {"name": COLUMNS.name + f" {user_id}", "active": False, "removed_at": at, "changed": changed}
        transaction.execute(update(ACCOUNT_USER).where(COLUMNS.id == user_id).values(values))

    def _find(self, transaction: Transaction, condition: ColumnElement[bool]) -> AccountUser | None:
        query = select(ACCOUNT_USER).where(condition, COLUMNS.removed_at.is_(None))
        row = transaction.execute(query).one_or_none()
        return None if row is None else _user(row)


def _user(row: Row[tuple[object, ...]]) -> AccountUser:
    return AccountUser(
        user_id=row.id,
        account_id=row.account_id,
        guid=row.guid,
        user=row.user,
        role=row.role,
        active=row.active,
        created_at=row.created_at,
        password_at=row.password_at,
        generation=row.generation,
    )
