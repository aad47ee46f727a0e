"""Accounts as rows: how one is made, found and told."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from datetime import datetime
from uuid import uuid4

from sqlalchemy import Connection, Row, Select, select

from timbra.errors import ServiceError
from timbra.store.tables.accounts import ACCOUNT, HOLDER
from timbra.store.tables.balances import BALANCE

LONGEST_USER = 254
LONGEST_TEXT = 254


@dataclass(frozen=True, slots=True)
class Holder:
    """Who stands behind an account; a text is empty when nobody has told it. tax_id: the RFC."""

    name: str = ""
    tax_id: str = ""
    notification_email: str = ""
    phone: str = ""


@dataclass(frozen=True, slots=True)
class Account:
    """An account as lists show it.

    role: `administrator` or `account`. guid: its identifier on the wire. dealer_id: the account that made it over the
    API. generation: counts password changes. remaining, assigned, used: stamps of its balance, which mean something
    while it is not unlimited.
    """

    account_id: int
    user: str
    role: str
    active: bool
    created_at: datetime
    guid: str
    holder: Holder
    dealer_id: int | None
    password_at: datetime
    generation: int
    unlimited: bool
    remaining: int
    assigned: int
    used: int

    @property
    def shown_name(self) -> str:
        """The holder's name, or the user where nobody has told one."""
        return self.holder.name or self.user


@dataclass(frozen=True, slots=True)
class NewAccount:
    """What makes an account. password: its hash. unlimited: stamps without a balance."""

    user: str
    password: str = field(repr=False)
    role: str
    unlimited: bool
    at: datetime
    holder: Holder = Holder()
    dealer_id: int | None = None


def folded(user: str) -> str:
    """The user name as it is compared: users write e-mail addresses, in whatever case."""
    return unicodedata.normalize("NFC", user.strip()).casefold()


def checked_user(user: str) -> str:
    """The user name as it is shown. ServiceError("user-invalid")."""
    shown = unicodedata.normalize("NFC", user.strip())
    if not 0 < len(shown) <= LONGEST_USER or not shown.isprintable() or " " in shown:
        raise ServiceError("user-invalid", f"Debe tener entre 1 y {LONGEST_USER} caracteres visibles, sin espacios.")
    return shown


def checked_text(name: str, value: str, longest: int = LONGEST_TEXT) -> str:
    """A text of a person as it is kept. ServiceError("TB4005") with the name of its field."""
    shown = unicodedata.normalize("NFC", value.strip())
    if len(shown) > longest or not shown.isprintable():
        raise ServiceError("TB4005", f"El campo {name} admite hasta {longest} caracteres visibles.")
    return shown


def insert_account(connection: Connection, changed: int, new: NewAccount) -> int:
    """Writes the account with its holder and an empty balance; its number. IntegrityError when the user exists."""
    values = {"user": new.user, "name": folded(new.user), "password": new.password, "role": new.role}
    row = ACCOUNT.insert().values(**values, generation=1, active=True, created_at=new.at, changed=changed)
    number: int = connection.execute(row.returning(ACCOUNT.c.id)).scalar_one()
    held = {**holder_values(new.holder), "dealer_id": new.dealer_id, "password_at": new.at}
    connection.execute(HOLDER.insert().values(account_id=number, guid=str(uuid4()), **held))
    connection.execute(
        BALANCE.insert().values(account_id=number, unlimited=new.unlimited, remaining=0, assigned=0, used=0)
    )
    return number


def holder_values(holder: Holder) -> dict[str, str]:
    """The columns of a holder."""
    return {
        "name": holder.name,
        "tax_id": holder.tax_id,
        "notification_email": holder.notification_email,
        "phone": holder.phone,
    }


def accounts_query() -> Select[tuple[object, ...]]:
    """Accounts that are not deleted, as `account_of` reads them."""
    own = (column for column in HOLDER.c if column.name not in ("account_id", "name"))
    told = (HOLDER.c.name.label("holder"), *own)
    balance = (column for column in BALANCE.c if column.name != "account_id")
    joined = ACCOUNT.join(HOLDER, HOLDER.c.account_id == ACCOUNT.c.id)
    joined = joined.join(BALANCE, BALANCE.c.account_id == ACCOUNT.c.id)
    return select(ACCOUNT, *told, *balance).select_from(joined).where(ACCOUNT.c.deleted_at.is_(None))


def account_of(row: Row[tuple[object, ...]]) -> Account:
    """The account of a row of `accounts_query`."""
    return Account(
        account_id=row.id,
        user=row.user,
        role=row.role,
        active=row.active,
        created_at=row.created_at,
        guid=row.guid,
        holder=Holder(row.holder, row.tax_id, row.notification_email, row.phone),
        dealer_id=row.dealer_id,
        password_at=row.password_at,
        generation=row.generation,
        unlimited=row.unlimited,
        remaining=row.remaining,
        assigned=row.assigned,
        used=row.used,
    )


def found(connection: Connection, user: str) -> Account:
    """The account of a user. ServiceError("account-unknown")."""
    name = folded(user)
    row = None
    if name.isprintable():
        row = connection.execute(accounts_query().where(ACCOUNT.c.name == name)).one_or_none()
    if row is None:
        raise ServiceError("account-unknown", "No existe una cuenta con ese usuario.")
    return account_of(row)


def found_active(connection: Connection, user: str) -> Account:
    """The account of a user who may get a token. ServiceError("account-unknown"), ("account-disabled")."""
    account = found(connection, user)
    if not account.active:
        raise ServiceError("account-disabled", f"La cuenta {account.user} está desactivada.")
    return account
