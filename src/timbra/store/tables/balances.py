"""Tables of balances: the stamps that an account has, and the entries that added or removed some."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, ForeignKey, Index, Table, Text

from timbra.store.tables import METADATA
from timbra.store.tables.accounts import ACCOUNT
from timbra.store.tables.column_types import AutoNumber, Instant

# remaining = assigned - used. used: stamps consumed while the account was limited, summed here and moved nowhere else.
# An unlimited account's row is never touched by stamping.
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

# Append-only. One of stamps_in and stamps_out is 0. current: what remained afterwards. by_account_id: who moved them,
# NULL for the operator of the server.
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
