"""Account management for administrators: create, find, list, change and delete accounts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace

from timbra.accounts.account_cache import AREA
from timbra.accounts.accounts import Accounts
from timbra.accounts.article_69b import stored_policy
from timbra.accounts.balances import Balances
from timbra.accounts.field_validation import normalize_user
from timbra.accounts.store.account_repository import AccountRepository
from timbra.accounts.store.balance_repository import BalanceRepository
from timbra.accounts.store.models import Account, AccountHolder, UserFilter, UserPage
from timbra.accounts.store.second_factor_repository import delete_factors
from timbra.accounts.store.token_repository import TokenRepository
from timbra.accounts.store.user_repository import AccountUserRepository
from timbra.accounts.vendor_leniency import stored_leniency
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.database.transaction import Transaction
from timbra.events.audit.audit import Audit

TOKEN_LABEL = "accessToken"  # noqa: S105
FIRST_STAMPS = "Saldo inicial"
_HOLDER_FIELDS = ("name", "tax_id", "notification_email", "phone")


@dataclass(frozen=True, slots=True)
class NewUser:
    """The request to create an account.

    Attributes:
        user: The user name.
        holder: The profile.
        stamps: The initial balance.
        unlimited: Whether the account stamps without a balance; None for the default of the environment.
    """

    user: str
    password: str = field(repr=False)
    holder: AccountHolder
    stamps: int = 0
    unlimited: bool | None = None


@dataclass(frozen=True, slots=True)
class AccountChange:
    """New values of an account; None keeps the stored value.

    Attributes:
        article_69b: One of `timbra.accounts.article_69b.CHOICES`.
        vendor_leniency: A choice of `timbra.accounts.vendor_leniency`.
    """

    name: str | None = None
    tax_id: str | None = None
    notification_email: str | None = None
    phone: str | None = None
    unlimited: bool | None = None
    active: bool | None = None
    article_69b: str | None = None
    vendor_leniency: str | None = None


class Users:
    """Accounts of one database, without deleted ones.

    Methods with a guid argument raise ServiceError("user-unknown"), and "user-removed" for a deleted account.
    """

    def __init__(self, database: Database, accounts: Accounts, balances: Balances, wall: Clock, fiscal: Clock) -> None:
        self._database = database
        self._accounts = accounts
        self._balances = balances
        self._rows = AccountRepository()
        self._wall = wall
        self._audit = Audit(wall, fiscal)

    def create(self, new: NewUser, dealer_id: int) -> tuple[Account, str]:
        """Create an account with its first stamps and an infinite token.

        Args:
            dealer_id: The account that creates this one.

        Returns:
            The account and the text of its token, which the server does not store.

        Raises:
            ServiceError: "user-email-taken", and those of `Accounts.create`.
        """
        tokens: list[str] = []
        limited_by_stamps = False if new.stamps else None

        def seed(transaction: Transaction, number: int) -> None:
            if new.stamps:
                self._balances.add_within(transaction, number, new.stamps, FIRST_STAMPS, dealer_id)
            tokens.append(self._accounts.create_infinite_token_within(transaction, number, 1, TOKEN_LABEL))

        try:
            account = self._accounts.create(
                new.user,
                new.password,
                holder=new.holder,
                unlimited=limited_by_stamps if new.unlimited is None else new.unlimited,
                dealer_id=dealer_id,
                seed=seed,
            )
        except ServiceError as error:
            raise ServiceError("user-email-taken", new.user) if error.code == "account-exists" else error from error
        return account, tokens[0]

    def get(self, guid: str) -> Account:
        """Return the account with this identifier."""
        with self._database.read() as transaction:
            return self._get(transaction, guid)

    def guids(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the identifiers of accounts by their numbers, deleted ones included."""
        with self._database.read() as transaction:
            return self._rows.guids(transaction, numbers)

    def page(self, filters: UserFilter, offset: int, limit: int) -> UserPage:
        """Return the accounts that match, oldest first.

        Args:
            filters: The conditions; the user name in any letter case.
            offset: Number of accounts to skip.
            limit: Size of the page.
        """
        if filters.user is not None:
            filters = replace(filters, user=normalize_user(filters.user))
        with self._database.read() as transaction:
            return self._rows.page(transaction, filters, offset, limit)

    def update(self, guid: str, change: AccountChange) -> Account:
        """Change an account.

        Returns:
            The account before the change.

        Raises:
            ServiceError: "user-unchanged" when every value is equal to the stored one, "TB4005" for an unknown choice.
        """
        with self._database.write() as transaction:
            changed = self._database.bump(transaction, AREA)
            account = self._get(transaction, guid)
            holder = _changed(account.holder, change)
            unlimited = account.unlimited if change.unlimited is None else change.unlimited
            active = account.active if change.active is None else change.active
            choices_before = {"article_69b": account.article_69b, "vendor_leniency": account.vendor_leniency}
            choices = dict(choices_before)
            if change.article_69b is not None:
                choices["article_69b"] = stored_policy(change.article_69b)
            if change.vendor_leniency is not None:
                choices["vendor_leniency"] = stored_leniency(change.vendor_leniency)
            chosen = {name: value for name, value in choices.items() if value != choices_before[name]}
            if (holder, unlimited, active) == (account.holder, account.unlimited, account.active) and not chosen:
                raise ServiceError("user-unchanged")
            number = account.account_id
            self._rows.set_holder(transaction, number, holder)
            self._rows.set_active(transaction, number, changed, active)
            if unlimited != account.unlimited:
                self._balances.set_unlimited_within(transaction, number, unlimited)
            if chosen:
                self._rows.set_choices(transaction, number, changed, chosen)
            before = {**asdict(account.holder), "unlimited": account.unlimited, "active": account.active}
            after = {**asdict(holder), "unlimited": unlimited, "active": active}
            before |= {name: choices_before[name] for name in chosen}
            after |= chosen
            self._audit.record(transaction, "account.changed", number, account.user, before=before, after=after)
        return account

    def delete(self, guid: str) -> None:
        """Close the account permanently and free its name; its stamps, balance entries and events stay.

        Raises:
            ServiceError: "user-has-stamps" with their number, "user-unlimited".
        """
        with self._database.write() as transaction:
            changed = self._database.bump(transaction, AREA)
            number = self._get(transaction, guid).account_id
            # A transaction that adds stamps meanwhile waits for this lock, and then does not find the account.
            BalanceRepository().lock(transaction, number)
            account = self._get(transaction, guid)
            if account.unlimited:
                raise ServiceError("user-unlimited")
            if account.remaining:
                raise ServiceError("user-has-stamps", str(account.remaining))
            now = self._wall.now()
            # No user name contains a blank.
            name = f"{normalize_user(account.user)} {number}"
            self._rows.mark_deleted(transaction, number, changed, name, now)
            TokenRepository().revoke_all(transaction, changed, number, now)
            delete_factors(transaction, number)
            users = AccountUserRepository()
            for user in users.list_for(transaction, number):
                users.mark_removed(transaction, user.user_id, changed, now)
            self._audit.record(transaction, "account.deleted", number, account.user)

    def _get(self, transaction: Transaction, guid: str) -> Account:
        account = self._rows.find_by_guid(transaction, guid)
        if account is None:
            raise ServiceError("user-removed" if self._rows.is_deleted(transaction, guid) else "user-unknown")
        return account


def _changed(holder: AccountHolder, change: AccountChange) -> AccountHolder:
    values = {name: getattr(change, name) for name in _HOLDER_FIELDS}
    return replace(holder, **{name: value for name, value in values.items() if value is not None})
