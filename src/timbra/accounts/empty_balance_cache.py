"""The cache of accounts with an empty balance: the server rejects their documents before it computes a stamp."""

from __future__ import annotations

from timbra.database.database import Database

AREA = "balances"
"""The area of the cache version that changes when any balance grows."""


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
