"""What every login and token check must know of accounts, in memory; read again only when something changed."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from sqlalchemy import Connection, Row, select

from timbra.accounts.caller import Caller
from timbra.accounts.records import folded
from timbra.store.database import Database
from timbra.store.tables.accounts import ACCOUNT, INFINITE_TOKEN
from timbra.store.tables.balances import BALANCE
from timbra.store.tables.core import REVISION

AREA = "accounts"


@dataclass(frozen=True, slots=True)
class AccountState:
    """An account as it stands. generation: counts password changes. encoded: the password's hash."""

    caller: Caller
    active: bool
    generation: int
    encoded: str = field(repr=False)


def count_change(database: Database, connection: Connection) -> int:
    """The revision of this area that the caller's transaction makes; writers take turns from here to their commit."""
    database.bump(connection, AREA)
    number: int = connection.execute(select(REVISION.c.number).where(REVISION.c.area == AREA)).scalar_one()
    return number


class AccountStates:
    """Accounts and live infinite tokens of one database; one per process, safe among threads."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._loading = threading.Lock()
        self._by_id: dict[int, AccountState] = {}
        self._by_name: dict[str, AccountState] = {}
        self._live_tokens: set[str] = set()
        self._newest = -1
        self.revision = -1

    def refresh(self) -> None:
        """Reads the rows that changed since; no I/O while the database's revision stands still."""
        if self._database.revision(AREA) != self.revision:
            with self._loading:
                self._load()

    def account(self, account_id: int) -> AccountState | None:
        """The account with this number."""
        return self._by_id.get(account_id)

    def named(self, name: str) -> AccountState | None:
        """The account whose folded user name this is."""
        return self._by_name.get(name)

    def is_live(self, token_id: str) -> bool:
        """Whether this infinite token exists and is not revoked."""
        return token_id in self._live_tokens

    def _load(self) -> None:
        revision = self._database.revision(AREA)
        with self._database.read() as connection:
            accounts = connection.execute(_ACCOUNTS.where(ACCOUNT.c.changed > self._newest)).all()
            tokens = connection.execute(select(INFINITE_TOKEN).where(INFINITE_TOKEN.c.changed > self._newest)).all()
        for row in accounts:
            self._keep(row)
        for row in tokens:
            (self._live_tokens.add if row.revoked_at is None else self._live_tokens.discard)(row.id)
        self._newest = max((row.changed for row in (*accounts, *tokens)), default=self._newest)
        self.revision = revision

    def _keep(self, row: Row[tuple[object, ...]]) -> None:
        """A deleted account is forgotten; its name may belong to another by now."""
        if row.deleted_at is None:
            self._by_id[row.id] = self._by_name[row.name] = _state(row)
            return
        gone = self._by_id.pop(row.id, None)
        name = folded(row.user)
        if gone is not None and self._by_name.get(name) is gone:
            del self._by_name[name]


_ACCOUNTS = select(ACCOUNT, BALANCE.c.unlimited).join(BALANCE, BALANCE.c.account_id == ACCOUNT.c.id)


def _state(row: Row[tuple[object, ...]]) -> AccountState:
    caller = Caller(row.id, row.user, row.role, limited=not row.unlimited)
    return AccountState(caller, row.active, row.generation, row.password)
