"""Managing accounts over the API: balances for everybody's own account, everything else for administrators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from timbra.accounts.balances import Balances, Movement
from timbra.accounts.caller import Caller
from timbra.accounts.records import Account, Holder, checked_text
from timbra.accounts.users import Change, Filters, NewUser, Users
from timbra.cfdi.rfc import is_rfc
from timbra.errors import ServiceError

LARGEST_PAGE = 100
LONGEST_PHONE = 32
NOBODY = "00000000-0000-0000-0000-000000000000"
"""Stands for whoever owns the data folder, where an identifier of an account is expected."""
_IN_THEIR_FIELD = {"user-invalid": "email", "password-invalid": "password"}


@dataclass(frozen=True, slots=True)
class BalanceView:
    """An account with its last movement, None while nothing was moved. mover: the identifier of who moved it."""

    account: Account
    last: Movement | None
    mover: str


@dataclass(frozen=True, slots=True)
class UserView:
    """An account and its dealer's identifier. token: of one just made, the only time that it is shown."""

    account: Account
    dealer: str
    token: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class UserViews:
    """One page of a list: page counts from 1; total: of all pages."""

    users: Sequence[UserView]
    page: int
    per_page: int
    total: int


class Management:
    """ServiceError("TB4010") for what an account may not do; the others are those of `Users` and `Balances`."""

    def __init__(self, users: Users, balances: Balances) -> None:
        self._users = users
        self._balances = balances

    def balance(self, caller: Caller) -> BalanceView:
        """The caller's own."""
        return self._view(self._balances.of(caller.account_id))

    def balance_of(self, caller: Caller, guid: str) -> BalanceView:
        """That of any account."""
        _require_administrator(caller)
        return self._view(self._users.one(guid))

    def add_stamps(self, caller: Caller, guid: str, stamps: int, comment: str) -> int:
        """What remains after that many were given."""
        _require_administrator(caller)
        return self._balances.add(self._users.one(guid).account_id, stamps, comment, caller.account_id)

    def remove_stamps(self, caller: Caller, guid: str, stamps: int, comment: str) -> int:
        """What remains after that many were taken."""
        _require_administrator(caller)
        return self._balances.remove(self._users.one(guid).account_id, stamps, comment, caller.account_id)

    def create(self, caller: Caller, new: NewUser) -> UserView:
        """An account that belongs to the caller; of the role `account`, whoever makes it."""
        _require_administrator(caller)
        try:
            made, token = self._users.create(new, caller.account_id)
        except ServiceError as error:
            if error.code in _IN_THEIR_FIELD:
                raise ServiceError("TB4005", f"El campo {_IN_THEIR_FIELD[error.code]}: {error.detail}") from error
            raise
        return UserView(made, self._dealer(made), token)

    def users(self, caller: Caller, filters: Filters, page: int, per_page: int) -> UserViews:
        """Those that fit, whoever's they are; an administrator sees all. per_page: at most 100."""
        _require_administrator(caller)
        per_page = min(per_page, LARGEST_PAGE)
        found = self._users.page(filters, (page - 1) * per_page, per_page)
        dealers = self._users.guids([user.dealer_id for user in found.users if user.dealer_id is not None])
        views = [UserView(user, dealers.get(user.dealer_id or 0, NOBODY)) for user in found.users]
        return UserViews(views, page, per_page, found.total)

    def user(self, caller: Caller, guid: str) -> UserView:
        """One by its identifier."""
        _require_administrator(caller)
        account = self._users.one(guid)
        return UserView(account, self._dealer(account))

    def update(self, caller: Caller, guid: str, change: Change) -> str:
        """The identifier of the changed account."""
        _require_administrator(caller)
        if change.active is False:
            self._require_other(caller, guid)
        return self._users.change(guid, change).guid

    def delete(self, caller: Caller, guid: str) -> None:
        """Closes an account for good; its stamps and history stay."""
        _require_administrator(caller)
        self._require_other(caller, guid)
        self._users.delete(guid)

    def _require_other(self, caller: Caller, guid: str) -> None:
        """Nobody shuts the door behind the last administrator."""
        if self._users.one(guid).account_id == caller.account_id:
            raise ServiceError("TB4005", "La cuenta propia no se puede eliminar ni desactivar.")

    def _view(self, account: Account) -> BalanceView:
        last = next(iter(self._balances.movements(account.account_id, limit=1)), None)
        mover = None if last is None else last.by_account_id
        return BalanceView(account, last, self._guid(mover))

    def _dealer(self, account: Account) -> str:
        return self._guid(account.dealer_id)

    def _guid(self, number: int | None) -> str:
        return NOBODY if number is None else self._users.guids([number])[number]


def checked_holder(name: str, tax_id: str, notification_email: str, phone: str) -> Holder:
    """Who stands behind a new account. ServiceError("TB4005") with the field that is wrong."""
    if not name.strip():
        raise ServiceError("TB4005", "Falta el campo name.")
    return Holder(
        checked_text("name", name),
        checked_rfc(tax_id),
        checked_text("notificationEmail", notification_email),
        checked_text("phone", phone, LONGEST_PHONE),
    )


def checked_change(change: Change) -> Change:
    """The change as it is kept: blank texts leave what is there. ServiceError("TB4005") as `checked_holder`."""
    return Change(
        name=checked_text("name", change.name or "") or None,
        tax_id=checked_rfc(change.tax_id) if change.tax_id else None,
        notification_email=checked_text("notificationEmail", change.notification_email or "") or None,
        phone=checked_text("phone", change.phone or "", LONGEST_PHONE) or None,
        unlimited=change.unlimited,
        active=change.active,
    )


def checked_rfc(text: str) -> str:
    """An RFC in capitals. ServiceError("TB4005")."""
    rfc = text.strip().upper()
    if not is_rfc(rfc):
        raise ServiceError("TB4005", "El campo taxId debe ser un RFC.")
    return rfc


def _require_administrator(caller: Caller) -> None:
    if not caller.is_administrator:
        raise ServiceError("TB4010")
