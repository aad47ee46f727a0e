"""Accounts with their profile and balance: insert, look up, list and change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import Column, ColumnElement, Row, Select, false, func, select, update
from sqlalchemy.exc import IntegrityError

from timbra.accounts.store.models import Account, AccountHolder, AccountRow, NewAccount, UserFilter, UserPage
from timbra.accounts.store.second_factor_repository import ACCOUNT_ITSELF, has_factor
from timbra.core.caller import ADMINISTRATOR
from timbra.core.errors import ServiceError
from timbra.core.roles import OWNER
from timbra.database.tables.accounts import ACCOUNT, ACCOUNT_PROFILE, ACCOUNT_USER
from timbra.database.tables.balances import BALANCE
from timbra.database.transaction import Transaction

_HOLDER_COLUMNS = ("name", "tax_id", "notification_email", "phone")


class AccountRepository:
    """Rows of `account`, its profile and its balance. Methods omit deleted accounts unless they state otherwise.

    The argument `changed` of several methods is the cache version of the area "accounts" in the caller's transaction;
    caches read the rows with newer versions.
    """

    def insert(self, transaction: Transaction, changed: int, new: NewAccount) -> int:
        """Insert the account with its profile and an empty balance.

        Returns:
            The number of the account.

        Raises:
            ServiceError: "account-exists" when the user name is taken; the transaction must be rolled back then.
        """
        values = {"user": new.user, "name": new.name, "password": new.password, "role": new.role}
        row = ACCOUNT.insert().values(**values, generation=1, active=True, created_at=new.at, changed=changed)
        try:
            number: int = transaction.execute(row.returning(ACCOUNT.c.id)).scalar_one()
        except IntegrityError:
            # The driver's error contains the row, password hash included.
            raise ServiceError("account-exists", f"El usuario {new.user} ya existe.") from None
        profile = {**_holder_values(new.holder), "dealer_id": new.dealer_id, "password_at": new.at}
        transaction.execute(ACCOUNT_PROFILE.insert().values(account_id=number, guid=str(uuid4()), **profile))
        transaction.execute(
            BALANCE.insert().values(account_id=number, unlimited=new.unlimited, remaining=0, assigned=0, used=0)
        )
        return number

    def find_by_id(self, transaction: Transaction, account_id: int) -> Account | None:
        """Return the account with this number."""
        return _find_account(transaction, ACCOUNT.c.id == account_id)

    def find_by_name(self, transaction: Transaction, name: str) -> Account | None:
        """Return the account with this normalized user name."""
        return _find_account(transaction, _equals(ACCOUNT.c.name, name))

    def find_by_guid(self, transaction: Transaction, guid: str) -> Account | None:
        """Return the account with this identifier, which may have any form that a UUID may have."""
        canonical = _canonical(guid)
        return None if canonical is None else _find_account(transaction, ACCOUNT_PROFILE.c.guid == canonical)

    def is_deleted(self, transaction: Transaction, guid: str) -> bool:
        """Whether an account has this identifier, given that `find_by_guid` finds none."""
        query = select(ACCOUNT_PROFILE.c.account_id).where(ACCOUNT_PROFILE.c.guid == _canonical(guid))
        return transaction.execute(query).one_or_none() is not None

    def has_other_than(self, transaction: Transaction, account_id: int) -> bool:
        """Whether there is an account besides this one, deleted accounts included; 0 stands for no account."""
        query = select(ACCOUNT.c.id).where(ACCOUNT.c.id != account_id).limit(1)
        return transaction.execute(query).first() is not None

    def list_all(self, transaction: Transaction) -> list[Account]:
        """Return all accounts, oldest first."""
        return [_account(row) for row in transaction.execute(_accounts().order_by(ACCOUNT.c.id))]

    def count_administrators(self, transaction: Transaction) -> int:
        """Return how many persons may decide about the server: active administrators, and owners of their accounts."""
        administrators = select(ACCOUNT.c.id).where(
            ACCOUNT.c.role == ADMINISTRATOR, ACCOUNT.c.active, ACCOUNT.c.deleted_at.is_(None)
        )
        users = select(func.count(ACCOUNT_USER.c.id)).where(
            ACCOUNT_USER.c.account_id.in_(administrators),
            ACCOUNT_USER.c.role == OWNER,
            ACCOUNT_USER.c.active,
            ACCOUNT_USER.c.removed_at.is_(None),
        )
        accounts = select(func.count()).select_from(administrators.subquery())
        own: int = transaction.execute(accounts).scalar_one()
        others: int = transaction.execute(users).scalar_one()
        return own + others

    def page(self, transaction: Transaction, conditions: UserFilter, offset: int, limit: int) -> UserPage:
        """Return the accounts that match, oldest first.

        Args:
            transaction: Any transaction.
            conditions: The conditions; their user name is normalized.
            offset: Number of accounts to skip.
            limit: Size of the page.
        """
        query = _accounts().where(*_conditions(conditions))
        count = select(func.count()).select_from(query.order_by(None).subquery())
        total: int = transaction.execute(count).scalar_one()
        rows = transaction.execute(query.order_by(ACCOUNT.c.id).offset(offset).limit(limit)).all()
        return UserPage([_account(row) for row in rows], total)

    def guids(self, transaction: Transaction, numbers: Sequence[int]) -> dict[int, str]:
        """Return the identifiers of accounts by their numbers, deleted ones included."""
        profile = ACCOUNT_PROFILE.c
        query = select(profile.account_id, profile.guid).where(profile.account_id.in_(numbers))
        return {row.account_id: row.guid for row in transaction.execute(query)}

    def changed_after(self, transaction: Transaction, version: int) -> list[AccountRow]:
        """Return the accounts that changed after a cache version, deleted ones included."""
        return [
            AccountRow(
                account_id=row.id,
                user=row.user,
                name=row.name,
                role=row.role,
                active=row.active,
                generation=row.generation,
                password=row.password,
                unlimited=row.unlimited,
                deleted=row.deleted_at is not None,
                changed=row.changed,
                article_69b=row.article_69b,
                vendor_leniency=row.vendor_leniency,
                has_second_factor=row.has_second_factor,
            )
            for row in transaction.execute(_STATES.where(ACCOUNT.c.changed > version))
        ]

    def set_password(self, transaction: Transaction, account_id: int, changed: int, encoded: str, at: datetime) -> None:
        """Store a new password hash and increment the generation.

        Args:
            transaction: A write transaction.
            changed: The cache version of the change.
            encoded: The argon2id hash.
            at: Wall instant of the change.
        """
        values = {"password": encoded, "generation": ACCOUNT.c.generation + 1, "changed": changed}
        transaction.execute(update(ACCOUNT).where(ACCOUNT.c.id == account_id).values(values))
        profile = update(ACCOUNT_PROFILE).where(ACCOUNT_PROFILE.c.account_id == account_id)
        transaction.execute(profile.values(password_at=at))

    def set_active(self, transaction: Transaction, account_id: int, changed: int, active: bool) -> None:
        """Open or close the account."""
        transaction.execute(update(ACCOUNT).where(ACCOUNT.c.id == account_id).values(active=active, changed=changed))

    def set_role(self, transaction: Transaction, account_id: int, changed: int, role: str) -> None:
        transaction.execute(update(ACCOUNT).where(ACCOUNT.c.id == account_id).values(role=role, changed=changed))

    def set_choices(
        self, transaction: Transaction, account_id: int, changed: int, choices: Mapping[str, str | None]
    ) -> None:
        """Store choices of the account by column, such as `article_69b`; None for that of the server."""
        transaction.execute(update(ACCOUNT).where(ACCOUNT.c.id == account_id).values(**choices, changed=changed))

    def set_holder(self, transaction: Transaction, account_id: int, holder: AccountHolder) -> None:
        profile = update(ACCOUNT_PROFILE).where(ACCOUNT_PROFILE.c.account_id == account_id)
        transaction.execute(profile.values(**_holder_values(holder)))

    def mark_changed(self, transaction: Transaction, account_id: int, changed: int) -> None:
        """Set the cache version of the account, so that caches read it again."""
        transaction.execute(update(ACCOUNT).where(ACCOUNT.c.id == account_id).values(changed=changed))

    def mark_deleted(self, transaction: Transaction, account_id: int, changed: int, name: str, at: datetime) -> None:
        """Close the account permanently.

        Args:
            transaction: A write transaction.
            changed: The cache version of the change.
            name: Replaces the normalized user name, which becomes free.
            at: Wall instant of the change.
        """
        values = {"name": name, "active": False, "deleted_at": at, "changed": changed}
        transaction.execute(update(ACCOUNT).where(ACCOUNT.c.id == account_id).values(**values))


def _accounts() -> Select[tuple[object, ...]]:
    own = (column for column in ACCOUNT_PROFILE.c if column.name not in ("account_id", "name"))
    profile = (ACCOUNT_PROFILE.c.name.label("holder"), *own)
    balance = (column for column in BALANCE.c if column.name != "account_id")
    joined = ACCOUNT.join(ACCOUNT_PROFILE, ACCOUNT_PROFILE.c.account_id == ACCOUNT.c.id)
    joined = joined.join(BALANCE, BALANCE.c.account_id == ACCOUNT.c.id)
    return select(ACCOUNT, *profile, *balance).select_from(joined).where(ACCOUNT.c.deleted_at.is_(None))


_STATES = select(
    ACCOUNT, BALANCE.c.unlimited, has_factor(ACCOUNT.c.id, ACCOUNT_ITSELF).label("has_second_factor")
).join(BALANCE, BALANCE.c.account_id == ACCOUNT.c.id)


def _find_account(transaction: Transaction, condition: ColumnElement[bool]) -> Account | None:
    row = transaction.execute(_accounts().where(condition)).one_or_none()
    return None if row is None else _account(row)


def _account(row: Row[tuple[object, ...]]) -> Account:
    return Account(
        account_id=row.id,
        user=row.user,
        role=row.role,
        active=row.active,
        created_at=row.created_at,
        guid=row.guid,
        holder=AccountHolder(row.holder, row.tax_id, row.notification_email, row.phone),
        dealer_id=row.dealer_id,
        password_at=row.password_at,
        generation=row.generation,
        unlimited=row.unlimited,
        remaining=row.remaining,
        assigned=row.assigned,
        used=row.used,
        article_69b=row.article_69b,
        vendor_leniency=row.vendor_leniency,
    )


def _holder_values(holder: AccountHolder) -> dict[str, str]:
    return {name: getattr(holder, name) for name in _HOLDER_COLUMNS}


def _conditions(filters: UserFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if filters.guid is not None:
        conditions.append(ACCOUNT_PROFILE.c.guid == (_canonical(filters.guid) or ""))
    if filters.user is not None:
        conditions.append(_equals(ACCOUNT.c.name, filters.user))
    if filters.tax_id is not None:
        conditions.append(_equals(ACCOUNT_PROFILE.c.tax_id, filters.tax_id.strip().upper()))
    if filters.active is not None:
        conditions.append(ACCOUNT.c.active.is_(filters.active))
    return conditions


def _equals(column: Column[str], text: str) -> ColumnElement[bool]:
    """Compare with a text; stored texts are printable, and PostgreSQL rejects NUL in a parameter."""
    return column == text if text.isprintable() else false()


def _canonical(guid: str) -> str | None:
    try:
        return str(UUID(guid))
    except ValueError:
        return None
