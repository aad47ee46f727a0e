"""Tables of balances: the stamps that an account has, and the entries that added or removed some."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, ForeignKey, Index, Table, Text

from timbra.database.tables import METADATA
from timbra.database.tables.accounts import ACCOUNT
from timbra.database.tables.column_types import AutoNumber, Instant

# remaining = assigned - used. used: stamps consumed while the account was limited; they have no entries.
# Stamping never changes the row of an unlimited account; its stamps are counted from `stamp` and `usage_day`.
BALANCE = Table(
    "balance",
    METADATA,
    Column("account_id", BigInteger, ForeignKey(ACCOUNT.c.id), primary_key=True, autoincrement=False),
    Column("unlimited", Boolean, nullable=False),
    Column("remaining", BigInteger, nullable=False),
    Column("assigned", BigInteger, nullable=False),
    Column("used", BigInteger, nullable=False),
    CheckConstraint("remaining >= 0", name="remaining"),
)

# Append-only. Either stamps_in or stamps_out is 0. current: the remaining stamps afterwards. by_account_id: the account
# that made the change, NULL for the operator of the server.
BALANCE_ENTRY = Table(
    "stamp_movement",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("account_id", BigInteger, ForeignKey(ACCOUNT.c.id), nullable=False),
    Column("stamps_in", BigInteger, nullable=False),
    Column("stamps_out", BigInteger, nullable=False),
    Column("current", BigInteger, nullable=False),
    Column("comment", Text, nullable=False),
    Column("at", Instant, nullable=False),
    Column("by_account_id", BigInteger),
    Index(None, "account_id", "id"),
    sqlite_autoincrement=True,
)
