"""Balances of stamps: administrators add and remove stamps; stamping consumes them (`timbra.stamps`)."""

from __future__ import annotations

from collections.abc import Sequence

from timbra.accounts.account_cache import AREA as ACCOUNTS_AREA
from timbra.accounts.field_validation import validate_text
from timbra.accounts.store.account_repository import AccountRepository
from timbra.accounts.store.balance_repository import MAX_BALANCE, BalanceRepository
from timbra.accounts.store.models import Account, BalanceEntry
from timbra.core.bounds import Bound, BoundKind
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.database.transaction import Transaction
from timbra.events.audit.audit import Audit
from timbra.stamps.usage import UsageCounter

AREA = "balances"
"""The area of the cache version that changes when any balance grows."""
MAX_COMMENT_LENGTH = 500
MAX_PAGE_SIZE = 200


class EmptyBalanceCache:
    """Accounts whose balance a transaction of this process found empty; valid until any balance grows."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._versions: dict[int, int] = {}

    @property
    def version(self) -> int:
        """The version to pass to `put`, read before the transaction: a balance that grows meanwhile invalidates it."""
        return self._database.cache_version(AREA)

    def put(self, account_id: int, version: int) -> None:
        """Store that the balance was empty in a transaction that began after `version` was read."""
        self._versions[account_id] = version

    def is_empty(self, account_id: int) -> bool:
        """Whether the balance is empty according to the cache; no I/O."""
        return self._versions.get(account_id) == self._database.cache_version(AREA)


class Balances:
    """Balances of one database. Its methods raise ServiceError("user-unknown") for an unknown account.

    The argument `by` of several methods is the account that makes the change; None for the operator of the server
    (CLI).
    """

    def __init__(self, database: Database, wall: Clock, fiscal: Clock) -> None:
        self._database = database
        self._accounts = AccountRepository()
        self._balances = BalanceRepository()
        self._usage = UsageCounter(database, wall)
        self._wall = wall
        self._audit = Audit(wall, fiscal)

    def get(self, account_id: int) -> Account:
        with self._database.read() as transaction:
            return self._account(transaction, account_id)

    def used(self, account: Account) -> int:
        """Return how many stamps an account has used.

        For a limited account that is what its balance lost by stamping: remaining = assigned - used. For an unlimited
        account, whose balance does not change, that is every stamp that it has ever got.
        """
        return self._usage.total(account.account_id) if account.unlimited else account.used

    def add(self, account_id: int, stamps: int, comment: str = "", by: int | None = None) -> int:
        """Add stamps to a balance.

        Returns:
            The remaining stamps.

        Raises:
            ServiceError: "TB4005" when `stamps` or the sum is outside of 1 to 2,147,483,647.
        """
        with self._database.write() as transaction:
            return self.add_within(transaction, account_id, stamps, comment, by)

    def add_within(self, transaction: Transaction, account_id: int, stamps: int, comment: str, by: int | None) -> int:
        """As `add`, within the caller's write transaction."""
        _require_positive(stamps)
        self._database.bump(transaction, AREA)
        return self._move(transaction, account_id, stamps, comment, by)

    def remove(self, account_id: int, stamps: int, comment: str = "", by: int | None = None) -> int:
        """Remove stamps from a balance.

        Returns:
            The remaining stamps.

        Raises:
            ServiceError: "TB4007" when there are fewer stamps.
        """
        _require_positive(stamps)
        with self._database.write() as transaction:
            return self._move(transaction, account_id, -stamps, comment, by)

    def set_unlimited(self, account_id: int, unlimited: bool) -> None:
        """Set whether the account stamps without a balance; the remaining stamps stay for a later limit."""
        with self._database.write() as transaction:
            self.set_unlimited_within(transaction, account_id, unlimited)

    def set_unlimited_within(self, transaction: Transaction, account_id: int, unlimited: bool) -> None:
        """As `set_unlimited`, within the caller's write transaction."""
        changed = self._database.bump(transaction, ACCOUNTS_AREA)
        account = self._account(transaction, account_id)
        self._database.bump(transaction, AREA)
        self._balances.set_unlimited(transaction, account_id, unlimited)
        self._accounts.mark_changed(transaction, account_id, changed)
        kind = "balance.unlimited" if unlimited else "balance.limited"
        before, after = {"unlimited": account.unlimited}, {"unlimited": unlimited}
        self._audit.record(transaction, kind, account_id, account.user, before=before, after=after)

    def list_entries(self, account_id: int, *, before: int | None = None, limit: int = 50) -> Sequence[BalanceEntry]:
        """Return entries of an account, newest first.

        Args:
            before: Number of the last entry of the previous page; None for the first page.
            limit: Size of the page; values outside of 1 to 200 are clamped.
        """
        with self._database.read() as transaction:
            return self._balances.list_entries(transaction, account_id, before, min(max(limit, 1), MAX_PAGE_SIZE))

    def _move(self, transaction: Transaction, account_id: int, difference: int, comment: str, by: int | None) -> int:
        """Change the balance; lock it, as stamping does, before the check that the account still exists."""
        comment = validate_text("comment", comment, MAX_COMMENT_LENGTH)
        remaining = self._balances.change(transaction, account_id, difference)
        account = self._account(transaction, account_id)
        if remaining is None:
            raise _out_of_range(difference, account.remaining)
        self._balances.add_entry(
            transaction,
            account_id=account_id,
            stamps_in=max(difference, 0),
            stamps_out=max(-difference, 0),
            current=remaining,
            comment=comment,
            at=self._wall.now(),
            by_account_id=by,
        )
        kind = "balance.added" if difference > 0 else "balance.removed"
        before, after = {"remaining": remaining - difference}, {"remaining": remaining}
        body = {"comment": comment} if comment else {}
        self._audit.record(transaction, kind, account_id, account.user, body, before=before, after=after)
        return remaining

    def _account(self, transaction: Transaction, account_id: int) -> Account:
        account = self._accounts.find_by_id(transaction, account_id)
        if account is None:
            raise ServiceError("user-unknown")
        return account


def _out_of_range(difference: int, remaining: int) -> ServiceError:
    if difference > 0:
        return ServiceError("TB4005", f"El saldo máximo es de {MAX_BALANCE} timbres y quedan {remaining}.")
    return ServiceError("TB4007", f"Quedan {remaining} timbres.")


def _require_positive(stamps: int) -> None:
    if not 0 < stamps <= MAX_BALANCE:
        raise ServiceError("TB4005", f"El campo stamps debe ser un entero de 1 a {MAX_BALANCE}.")


BOUNDS = (Bound("EmptyBalanceCache", BoundKind.CACHE, "one number for each account", "There are no further accounts."),)
