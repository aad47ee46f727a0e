"""Accounts as their administrators manage them: found by identifier or filter, made, changed, deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from sqlalchemy import Column, ColumnElement, Connection, false, func, select, update

from timbra.accounts.accounts import Accounts
from timbra.accounts.audit import Audit
from timbra.accounts.balances import Balances
from timbra.accounts.records import Account, Holder, account_of, accounts_query, folded, holder_values
from timbra.accounts.states import count_change
from timbra.clock import Clock
from timbra.errors import ServiceError
from timbra.store.database import Database
from timbra.store.tables.accounts import ACCOUNT, HOLDER, INFINITE_TOKEN
from timbra.store.tables.balances import BALANCE

TOKEN_LABEL = "accessToken"  # noqa: S105
FIRST_STAMPS = "Saldo inicial"


@dataclass(frozen=True, slots=True)
class NewUser:
    """What the wire tells of a user to be made. unlimited: None for what is usual in the environment."""

    user: str
    password: str = field(repr=False)
    holder: Holder
    stamps: int = 0
    unlimited: bool | None = None


@dataclass(frozen=True, slots=True)
class Filters:
    """What is wanted of a list; None for no matter what. guid: in any form that a UUID may have."""

    guid: str | None = None
    user: str | None = None
    tax_id: str | None = None
    active: bool | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """New values of a user; None leaves the one that is there."""

    name: str | None = None
    tax_id: str | None = None
    notification_email: str | None = None
    phone: str | None = None
    unlimited: bool | None = None
    active: bool | None = None


@dataclass(frozen=True, slots=True)
class UserPage:
    """One page of a list, oldest first. total: how many there are on all pages."""

    users: Sequence[Account]
    total: int


class Users:
    """Accounts of one database, deleted ones left out.

    Methods that take a guid raise ServiceError("user-unknown"), and "user-removed" for a deleted one.
    """

    def __init__(self, database: Database, accounts: Accounts, balances: Balances, wall: Clock, fiscal: Clock) -> None:
        self._database = database
        self._accounts = accounts
        self._balances = balances
        self._wall = wall
        self._audit = Audit(wall, fiscal)

    def create(self, new: NewUser, dealer_id: int) -> tuple[Account, str]:
        """The account that belongs to the dealer, and its infinite token, which is not shown again.

        ServiceError: "user-email-taken", and those of `Accounts.create`.
        """
        tokens: list[str] = []
        limited_by_stamps = False if new.stamps else None

        def furnish(connection: Connection, number: int) -> None:
            if new.stamps:
                self._balances.give(connection, number, new.stamps, FIRST_STAMPS, dealer_id)
            tokens.append(self._accounts.infinite_token(connection, number, 1, TOKEN_LABEL))

        try:
            made = self._accounts.create(
                new.user,
                new.password,
                holder=new.holder,
                unlimited=limited_by_stamps if new.unlimited is None else new.unlimited,
                dealer_id=dealer_id,
                furnish=furnish,
            )
        except ServiceError as error:
            raise ServiceError("user-email-taken", new.user) if error.code == "account-exists" else error from error
        return made, tokens[0]

    def one(self, guid: str) -> Account:
        """The account with this identifier."""
        with self._database.read() as connection:
            return _by_guid(connection, guid)

    def guids(self, numbers: Sequence[int]) -> dict[int, str]:
        """The identifiers of accounts by their numbers, deleted ones too."""
        query = select(HOLDER.c.account_id, HOLDER.c.guid).where(HOLDER.c.account_id.in_(numbers))
        with self._database.read() as connection:
            return {row.account_id: row.guid for row in connection.execute(query)}

    def page(self, filters: Filters, offset: int, limit: int) -> UserPage:
        """Accounts that fit, oldest first, beginning with the one at `offset` (from 0)."""
        wanted = accounts_query().where(*_conditions(filters))
        count = select(func.count()).select_from(wanted.order_by(None).subquery())
        with self._database.read() as connection:
            total: int = connection.execute(count).scalar_one()
            rows = connection.execute(wanted.order_by(ACCOUNT.c.id).offset(offset).limit(limit)).all()
        return UserPage([account_of(row) for row in rows], total)

    def change(self, guid: str, change: Change) -> Account:
        """The account as it was. ServiceError("user-unchanged") when nothing would be another."""
        with self._database.write() as connection:
            changed = count_change(self._database, connection)
            account = _by_guid(connection, guid)
            holder = _changed(account.holder, change)
            free = account.unlimited if change.unlimited is None else change.unlimited
            active = account.active if change.active is None else change.active
            if (holder, free, active) == (account.holder, account.unlimited, account.active):
                raise ServiceError("user-unchanged")
            number = account.account_id
            connection.execute(update(HOLDER).where(HOLDER.c.account_id == number).values(**holder_values(holder)))
            connection.execute(update(ACCOUNT).where(ACCOUNT.c.id == number).values(active=active, changed=changed))
            if free != account.unlimited:
                self._balances.free(connection, number, free)
            self._audit.record(connection, "account.changed", number, account.user)
        return account

    def delete(self, guid: str) -> None:
        """Closes the account for good and frees its name; its stamps, movements and events stay.

        ServiceError: "user-has-stamps" with how many, "user-unlimited".
        """
        with self._database.write() as connection:
            changed = count_change(self._database, connection)
            number = _by_guid(connection, guid).account_id
            # Whoever gives it stamps meanwhile waits for this lock, and then finds no account.
            connection.execute(select(BALANCE).where(BALANCE.c.account_id == number).with_for_update())
            account = _by_guid(connection, guid)
            if account.unlimited:
                raise ServiceError("user-unlimited")
            if account.remaining:
                raise ServiceError("user-has-stamps", str(account.remaining))
            now = self._wall.now()
            # No user name contains a blank.
            gone = {"name": f"{folded(account.user)} {number}", "active": False, "deleted_at": now, "changed": changed}
            connection.execute(update(ACCOUNT).where(ACCOUNT.c.id == number).values(**gone))
            live = (INFINITE_TOKEN.c.account_id == number) & INFINITE_TOKEN.c.revoked_at.is_(None)
            connection.execute(update(INFINITE_TOKEN).where(live).values(revoked_at=now, changed=changed))
            self._audit.record(connection, "account.deleted", number, account.user)


def _changed(holder: Holder, change: Change) -> Holder:
    given = {name: getattr(change, name) for name in holder_values(holder)}
    return replace(holder, **{name: value for name, value in given.items() if value is not None})


def _canonical(guid: str) -> str | None:
    try:
        return str(UUID(guid))
    except ValueError:
        return None


def _by_guid(connection: Connection, guid: str) -> Account:
    canonical = _canonical(guid)
    row = None
    if canonical is not None:
        row = connection.execute(accounts_query().where(HOLDER.c.guid == canonical)).one_or_none()
    if row is not None:
        return account_of(row)
    gone = connection.execute(select(HOLDER.c.account_id).where(HOLDER.c.guid == canonical)).one_or_none()
    raise ServiceError("user-unknown" if gone is None else "user-removed")


def _conditions(filters: Filters) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if filters.guid is not None:
        conditions.append(HOLDER.c.guid == (_canonical(filters.guid) or ""))
    if filters.user is not None:
        conditions.append(_is(ACCOUNT.c.name, folded(filters.user)))
    if filters.tax_id is not None:
        conditions.append(_is(HOLDER.c.tax_id, filters.tax_id.strip().upper()))
    if filters.active is not None:
        conditions.append(ACCOUNT.c.active.is_(filters.active))
    return conditions


def _is(column: Column[str], text: str) -> ColumnElement[bool]:
    """Whether it is this text; no stored one has what cannot be printed, and PostgreSQL takes no NUL."""
    return column == text if text.isprintable() else false()
