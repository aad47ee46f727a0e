"""Account administration: every account reads its own balance; administrators do everything else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from timbra.accounts.balances import Balances
from timbra.accounts.field_validation import validate_text
from timbra.accounts.store.models import Account, AccountHolder, BalanceEntry, UserFilter
from timbra.accounts.users import AccountChange, NewUser, Users
from timbra.cfdi.rfc import is_rfc
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError

LARGEST_PAGE = 100
LONGEST_PHONE = 32
NO_VALUE = "00000000-0000-0000-0000-000000000000"
"""Identifier of the owner of the data folder, who has no account, in responses that need one."""
_FIELD_OF_CODE = {"user-invalid": "email", "password-invalid": "password"}


@dataclass(frozen=True, slots=True)
class BalanceView:
    """An account with its last balance entry.

    Attributes:
        used: stamps that the account has used, see `Balances.used`.
        last: None without an entry.
        mover: GUID of the account that made the entry.
    """

    account: Account
    used: int
    last: BalanceEntry | None
    mover: str


@dataclass(frozen=True, slots=True)
class UserView:
    """An account.

    Attributes:
        dealer: GUID of its dealer.
        token: token of a new account, in the only response that has it; else empty.
    """

    account: Account
    dealer: str
    token: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class UserListView:
    """One page of accounts.

    Attributes:
        page: number of the page, from 1.
        total: number of accounts on all pages.
    """

    users: Sequence[UserView]
    page: int
    per_page: int
    total: int


class AccountAdministration:
    """Manages accounts and balances.

    Every method except `balance` raises ServiceError("TB4010") when the caller is not an administrator; other errors
    are those of `Users` and `Balances`.
    """

    def __init__(self, users: Users, balances: Balances) -> None:
        self._users = users
        self._balances = balances

    def balance(self, caller: Caller) -> BalanceView:
        return self._view(self._balances.get(caller.account_id))

    def balance_of(self, caller: Caller, guid: str) -> BalanceView:
        """Return the balance of any account."""
        _require_administrator(caller)
        return self._view(self._users.get(guid))

    def add_stamps(self, caller: Caller, guid: str, stamps: int, comment: str) -> int:
        """Add stamps to the balance of an account.

        Args:
            caller: the administrator.
            stamps: number of stamps.
            comment: text of the balance entry.

        Returns:
            The new balance.
        """
        _require_administrator(caller)
        return self._balances.add(self._users.get(guid).account_id, stamps, comment, caller.account_id)

    def remove_stamps(self, caller: Caller, guid: str, stamps: int, comment: str) -> int:
        """Remove stamps from the balance of an account.

        Args:
            caller: the administrator.
            stamps: number of stamps.
            comment: text of the balance entry.

        Returns:
            The new balance.
        """
        _require_administrator(caller)
        return self._balances.remove(self._users.get(guid).account_id, stamps, comment, caller.account_id)

    def create(self, caller: Caller, new: NewUser) -> UserView:
        """Create an account of the role `account`, whose dealer is the caller."""
        _require_administrator(caller)
        try:
            account, token = self._users.create(new, caller.account_id)
        except ServiceError as error:
            if error.code in _FIELD_OF_CODE:
                raise ServiceError("TB4005", f"El campo {_FIELD_OF_CODE[error.code]}: {error.detail}") from error
            raise
        return UserView(account, self._dealer(account), token)

    def users(self, caller: Caller, filters: UserFilter, page: int, per_page: int) -> UserListView:
        """List the accounts of all dealers that match the filters.

        Args:
            caller: the administrator.
            page: number of the page, from 1.
            per_page: accounts per page; more than 100 count as 100.
        """
        _require_administrator(caller)
        per_page = min(per_page, LARGEST_PAGE)
        found = self._users.page(filters, (page - 1) * per_page, per_page)
        dealers = self._users.guids([user.dealer_id for user in found.users if user.dealer_id is not None])
        views = [UserView(user, dealers.get(user.dealer_id or 0, NO_VALUE)) for user in found.users]
        return UserListView(views, page, per_page, found.total)

    def user(self, caller: Caller, guid: str) -> UserView:
        _require_administrator(caller)
        account = self._users.get(guid)
        return UserView(account, self._dealer(account))

    def update(self, caller: Caller, guid: str, change: AccountChange) -> str:
        """Change an account and return its GUID. Administrators cannot deactivate their own account."""
        _require_administrator(caller)
        if change.active is False:
            self._require_other(caller, guid)
        return self._users.update(guid, change).guid

    def delete(self, caller: Caller, guid: str) -> None:
        """Delete an account, except the caller's own; its stamps and its history stay."""
        _require_administrator(caller)
        self._require_other(caller, guid)
        self._users.delete(guid)

    def _require_other(self, caller: Caller, guid: str) -> None:
        """Check that the account is not that of the administrator who makes the request."""
        if self._users.get(guid).account_id == caller.account_id:
            raise ServiceError("TB4005", "La cuenta propia no se puede eliminar ni desactivar.")

    def _view(self, account: Account) -> BalanceView:
        last = next(iter(self._balances.list_entries(account.account_id, limit=1)), None)
        mover = None if last is None else last.by_account_id
        return BalanceView(account, self._balances.used(account), last, self._guid(mover))

    def _dealer(self, account: Account) -> str:
        return self._guid(account.dealer_id)

    def _guid(self, number: int | None) -> str:
        return NO_VALUE if number is None else self._users.guids([number])[number]


def checked_holder(name: str, tax_id: str, notification_email: str, phone: str) -> AccountHolder:
    """Check the values of the holder of a new account.

    Raises:
        ServiceError: "TB4005" with the name of the invalid field.
    """
    if not name.strip():
        raise ServiceError("TB4005", "Falta el campo name.")
    return AccountHolder(
        validate_text("name", name),
        checked_rfc(tax_id),
        validate_text("notificationEmail", notification_email),
        validate_text("phone", phone, LONGEST_PHONE),
    )


def checked_change(change: AccountChange) -> AccountChange:
    """Check a change of an account. Blank texts keep the stored value.

    Raises:
        ServiceError: "TB4005" with the name of the invalid field.
    """
    return AccountChange(
        name=validate_text("name", change.name or "") or None,
        tax_id=checked_rfc(change.tax_id) if change.tax_id else None,
        notification_email=validate_text("notificationEmail", change.notification_email or "") or None,
        phone=validate_text("phone", change.phone or "", LONGEST_PHONE) or None,
        unlimited=change.unlimited,
        active=change.active,
        article_69b=change.article_69b,
        vendor_leniency=change.vendor_leniency,
    )


def checked_rfc(text: str) -> str:
    """Return the RFC in upper case; ServiceError("TB4005") when the text is not an RFC."""
    rfc = text.strip().upper()
    if not is_rfc(rfc):
        raise ServiceError("TB4005", "El campo taxId debe ser un RFC.")
    return rfc


def _require_administrator(caller: Caller) -> None:
    if not caller.is_administrator:
        raise ServiceError("TB4010")
