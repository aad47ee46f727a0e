"""Tables of packages: what a sandbox does with the rows of each, in a reset and in a saved state."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import Column, ColumnElement, Table, false, select

from timbra.core.features import features


@dataclass(frozen=True, slots=True)
class FeatureTable:
    """A table that a reset of the sandbox empties. It has a column `account_id`, or its rows are parts of others.

    Attributes:
        of_accounts: Whether rows belong to accounts; else the reset of an account does not change the table.
        part_of: The column with the key of another row, and that key in its table, which has `account_id`.
        is_saved: Whether saved states have the rows; else a restore removes them.
    """

    table: Table
    part_of: tuple[Column[Any], Column[Any]] | None = None
    is_saved: bool = True
    of_accounts: bool = True

    def of_account(self, account_id: int) -> ColumnElement[bool]:
        """Return the condition of the rows of an account."""
        if not self.of_accounts:
            return false()
        if self.part_of is None:
            return self.table.c.account_id == account_id
        column, key = self.part_of
        return column.in_(select(key).where(key.table.c.account_id == account_id))


@cache
def feature_tables() -> tuple[FeatureTable, ...]:
    """Return the tables of all features, parts before the rows that they belong to."""
    found = [table for feature in features() for table in feature.load(feature.tables, "TABLES")]
    return tuple(sorted(found, key=lambda table: table.part_of is None))
