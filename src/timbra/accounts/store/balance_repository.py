"""Balances of stamps and their entries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Row, select, update

from timbra.accounts.store.models import BalanceEntry
from timbra.database.tables.balances import BALANCE, BALANCE_ENTRY
from timbra.database.transaction import Transaction

MAX_BALANCE: Final = 2**31 - 1
"""Clients read a balance as an integer of 32 bits."""


class BalanceRepository:
    """Rows of `balance` and of its append-only entries."""

    def lock(self, transaction: Transaction, account_id: int) -> None:
        """Lock the balance until the end of the transaction; other writers of it wait."""
        transaction.execute(select(BALANCE).where(BALANCE.c.account_id == account_id).with_for_update())

    def change(self, transaction: Transaction, account_id: int, difference: int) -> int | None:
        """Add to the balance, or subtract from it, and lock it.

        Args:
            transaction: A write transaction.
            difference: Stamps to add; negative to subtract.

        Returns:
            The remaining stamps; None when they would leave the range from 0 to `MAX_BALANCE`.
        """
        after = BALANCE.c.remaining + difference
        statement = update(BALANCE).where(BALANCE.c.account_id == account_id, after.between(0, MAX_BALANCE))
        statement = statement.values(remaining=after, assigned=BALANCE.c.assigned + difference)
        remaining = transaction.execute(statement.returning(BALANCE.c.remaining)).scalar_one_or_none()
        return None if remaining is None else int(remaining)

    def set_unlimited(self, transaction: Transaction, account_id: int, unlimited: bool) -> None:
        """Set whether the account stamps without a balance."""
        transaction.execute(update(BALANCE).where(BALANCE.c.account_id == account_id).values(unlimited=unlimited))

    def add_entry(self, transaction: Transaction, **values: Any) -> None:
        """Append an entry. The values are the fields of `BalanceEntry` without its number."""
        transaction.execute(BALANCE_ENTRY.insert().values(**values))

    def list_entries(
        self, transaction: Transaction, account_id: int, before: int | None, limit: int
    ) -> Sequence[BalanceEntry]:
        """Return entries of an account, newest first.

        Args:
            transaction: Any transaction.
            before: Number of the last entry of the previous page; None for the first page.
            limit: Size of the page.
        """
        query = select(BALANCE_ENTRY).where(BALANCE_ENTRY.c.account_id == account_id)
        if before is not None:
            query = query.where(BALANCE_ENTRY.c.id < before)
        rows = transaction.execute(query.order_by(BALANCE_ENTRY.c.id.desc()).limit(limit))
        return [_entry(row) for row in rows]


def _entry(row: Row[tuple[object, ...]]) -> BalanceEntry:
    return BalanceEntry(
        number=row.id,
        account_id=row.account_id,
        stamps_in=row.stamps_in,
        stamps_out=row.stamps_out,
        current=row.current,
        comment=row.comment,
        at=row.at,
        by_account_id=row.by_account_id,
    )
