"""Accounts whose balance was found empty: remembered, so that they are refused before the work of a stamp."""

from __future__ import annotations

from timbra.store.database import Database

AREA = "balances"


class EmptyBalances:
    """What one process has learnt from the transactions that decide; forgotten as soon as any balance grows."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._found: dict[int, int] = {}

    @property
    def moment(self) -> int:
        """What to remember a finding with: taken before the transaction, so that what grows meanwhile ends it."""
        return self._database.revision(AREA)

    def remember(self, account_id: int, moment: int) -> None:
        """The balance was empty in a transaction that began after `moment`."""
        self._found[account_id] = moment

    def is_known(self, account_id: int) -> bool:
        """Whether the balance is still empty, as far as this process knows; no I/O."""
        return self._found.get(account_id) == self._database.revision(AREA)
