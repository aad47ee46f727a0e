"""Accounts and live infinite tokens in memory, for every login and token check; changed rows are read again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from timbra.accounts.field_validation import normalize_user
from timbra.accounts.lookup_limit import NegativeCache
from timbra.accounts.store.account_repository import AccountRepository
from timbra.accounts.store.models import AccountRow, AccountUserRow, TokenRow
from timbra.accounts.store.token_repository import TokenRepository
from timbra.accounts.store.user_repository import AccountUserRepository
from timbra.core.bounds import Bound, BoundKind
from timbra.core.caller import ACCOUNT, ADMINISTRATOR, Caller
from timbra.core.roles import AUDITOR, OWNER, ROLE_SCOPES
from timbra.database.database import Database
from timbra.database.state_version import STATE_AREA

AREA = "accounts"
"""The area of the cache version that changes with accounts, infinite tokens and ended sessions."""
SECRET_AREA = "token-secret"  # noqa: S105
"""The area of the cache version that changes with the secrets of tokens."""
MAX_ENDED = 10_000
LONGEST_SESSION = timedelta(hours=3)


@dataclass(frozen=True, slots=True)
class AccountState:
    """The state of an account for authentication.

    Attributes:
        caller: The account as the caller of a request.
        active: Whether the account is open.
        generation: Number of password changes.
        encoded: The argon2id hash of the password.
    """

    caller: Caller
    active: bool
    generation: int
    encoded: str = field(repr=False)


class AccountCache:
    """Accounts and live infinite tokens of one database; one per process, thread-safe.

    Attributes:
        cache_version: The cache version of the entries; -1 before the first `refresh`.
    """

    def __init__(self, database: Database, on_replaced: Callable[[], None] = lambda: None) -> None:
        """Use a database; the first `refresh` reads it.

        Args:
            on_replaced: Called before the accounts are read again because the whole state was replaced, and when the
                secrets of tokens changed.
        """
        self._database = database
        self._on_replaced = on_replaced
        self._accounts = AccountRepository()
        self._tokens = TokenRepository()
        self._loading = threading.Lock()
        self._users = AccountUserRepository()
        self._user_rows: dict[int, AccountUserRow] = {}
        self._by_id: dict[int, AccountState] = {}
        self._by_name: dict[str, AccountState] = {}
        self._live_tokens: set[str] = set()
        self._ended: dict[str, datetime] = {}
        self._secret_version = database.cache_version(SECRET_AREA)
        self._newest = -1
        self._state_version = database.cache_version(STATE_AREA)
        self._negative = NegativeCache()
        self._looking_up = threading.Lock()
        self.cache_version = -1

    def refresh(self) -> None:
        """Read the rows that changed; no I/O while the cache version of the database is the same."""
        if self._database.cache_version(AREA) != self.cache_version:
            with self._loading:
                self._load()

    @property
    def is_current(self) -> bool:
        """Whether `refresh` would read nothing; no I/O."""
        return self._database.is_current(AREA, self.cache_version)

    def look_up(self, key: str) -> None:
        """Read the changes of other nodes before the server rejects a key, unless it did so a moment ago.

        Args:
            key: A text that identifies the user name or token.

        Raises:
            ServiceError: "CO1000" when the database is out of reach.
        """
        # A thread waits while another one looks up, and then uses its result.
        with self._looking_up:
            if self._negative.allow(key):
                self._database.poll()
                self.refresh()

    def account(self, account_id: int) -> AccountState | None:
        """Return the account with this number."""
        return self._by_id.get(account_id)

    def find_by_name(self, name: str) -> AccountState | None:
        """Return the account or the user of an account with this normalized user name."""
        found = self._by_name.get(name)
        user_id = None if found is None else found.caller.user_id
        # The state of a user depends on its account, which may have changed since.
        return found if user_id is None else self.user(user_id)

    def user(self, user_id: int) -> AccountState | None:
        """Return the state of a user of an account, by the number of the user."""
        row = self._user_rows.get(user_id)
        account = None if row is None else self._by_id.get(row.user.account_id)
        return None if row is None or account is None else _user_state(row, account)

    def is_live(self, token_id: str) -> bool:
        """Whether this infinite token exists and is not revoked."""
        return token_id in self._live_tokens

    def is_ended(self, token_id: str) -> bool:
        """Whether the session of this token was ended."""
        return token_id in self._ended

    def _load(self) -> None:
        cache_version, state_version = self._database.cache_version(AREA), self._database.cache_version(STATE_AREA)
        # After a reset or restore, rows may be absent or have older versions: read all instead of the changed ones.
        replaced = state_version != self._state_version
        secret_version = self._database.cache_version(SECRET_AREA)
        if replaced or secret_version != self._secret_version:
            self._on_replaced()
        self._secret_version = secret_version
        newest = -1 if replaced else self._newest
        with self._database.read() as transaction:
            accounts = self._accounts.changed_after(transaction, newest)
            users = self._users.changed_after(transaction, newest)
            tokens = self._tokens.changed_after(transaction, newest)
            ended = self._tokens.sessions_ended_after(transaction, newest)
        self._end(ended, forget=replaced)
        if replaced:
            self._replace(accounts, tokens)
        else:
            self._update(accounts, tokens)
        for user in users:
            self._update_user(user)
        changed_rows: list[AccountRow | AccountUserRow | TokenRow] = [*accounts, *users, *tokens]
        versions = [row.changed for row in changed_rows]
        versions += [changed for _, changed in ended.values()]
        self._newest = max(versions, default=newest)
        self._state_version = state_version
        self.cache_version = cache_version

    def _end(self, ended: Mapping[str, tuple[datetime, int]], *, forget: bool) -> None:
        """Add ended sessions; forget those whose tokens expired long before the newest one."""
        known = {} if forget else self._ended
        merged = {**known, **{token_id: expires_at for token_id, (expires_at, _) in ended.items()}}
        if len(merged) > MAX_ENDED:
            newest = max(merged.values())
            merged = {token_id: until for token_id, until in merged.items() if newest - until < LONGEST_SESSION}
        self._ended = merged

    def _update(self, accounts: Sequence[AccountRow], tokens: Sequence[TokenRow]) -> None:
        for row in accounts:
            self._update_account(row)
        for token in tokens:
            (self._live_tokens.discard if token.revoked else self._live_tokens.add)(token.token_id)

    def _replace(self, accounts: Sequence[AccountRow], tokens: Sequence[TokenRow]) -> None:
        """Replace the entries at once: other threads look keys up meanwhile."""
        states = {row: _state(row) for row in accounts if not row.deleted}
        self._user_rows = {}
        self._by_id = {row.account_id: state for row, state in states.items()}
        self._by_name = {row.name: state for row, state in states.items()}
        self._live_tokens = {token.token_id for token in tokens if not token.revoked}

    def _update_user(self, row: AccountUserRow) -> None:
        """Store or remove a user; another user may have the name of a removed one."""
        user_id = row.user.user_id
        account = self._by_id.get(row.user.account_id)
        if row.removed or account is None:
            removed = self._user_rows.pop(user_id, None)
            if removed is not None and _is_user(self._by_name.get(removed.name), user_id):
                del self._by_name[removed.name]
            return
        self._user_rows[user_id] = row
        self._by_name[row.name] = _user_state(row, account)

    def _update_account(self, row: AccountRow) -> None:
        """Store or remove an account; another account may have the name of a deleted one."""
        if not row.deleted:
            self._by_id[row.account_id] = self._by_name[row.name] = _state(row)
            return
        removed = self._by_id.pop(row.account_id, None)
        name = normalize_user(row.user)
        if removed is not None and self._by_name.get(name) is removed:
            del self._by_name[name]


def _is_user(state: AccountState | None, user_id: int) -> bool:
    return state is not None and state.caller.user_id == user_id


def _user_state(row: AccountUserRow, account: AccountState) -> AccountState:
    user = row.user
    is_administrators = account.caller.role == ADMINISTRATOR
    caller = replace(
        account.caller,
        user=user.user,
        role=account.caller.role if user.role == OWNER else ACCOUNT,
        scopes=ROLE_SCOPES[user.role],
        user_id=user.user_id,
        user_role=user.role,
        audits_all=is_administrators and user.role == AUDITOR,
        has_second_factor=row.has_second_factor,
    )
    return AccountState(caller, account.active and user.active, user.generation, row.password)


def _state(row: AccountRow) -> AccountState:
    caller = Caller(
        row.account_id,
        row.user,
        row.role,
        limited=not row.unlimited,
        article_69b=row.article_69b,
        vendor_leniency=row.vendor_leniency,
        has_second_factor=row.has_second_factor,
    )
    return AccountState(caller, row.active, row.generation, row.password)


BOUNDS = (
    Bound(
        "AccountCache",
        BoundKind.CACHE,
        f"the accounts and tokens of the database, {MAX_ENDED:,} ended sessions",
        "Ended sessions are forgotten whose tokens expired.",
    ),
)
