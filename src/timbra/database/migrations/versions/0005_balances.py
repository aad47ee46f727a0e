"""Balances of stamps and their movements; who stands behind an account."""

from __future__ import annotations

from uuid import uuid4

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("account", sa.Column("deleted_at", sa.BigInteger, nullable=True))
    holder = _holders()
    balance = _balances()
    _movements()
    _furnish(holder, balance)


def _holders() -> sa.Table:
    return op.create_table(
        "holder",
        sa.Column("account_id", sa.BigInteger, nullable=False, autoincrement=False),
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in ("guid", "name", "tax_id", "notification_email", "phone")
        ),
        sa.Column("dealer_id", sa.BigInteger, nullable=True),
        sa.Column("password_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("account_id", name="pk_holder"),
        sa.UniqueConstraint("guid", name="uq_holder_guid"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_holder_account_id_account"),
    )


def _balances() -> sa.Table:
    return op.create_table(
        "balance",
        sa.Column("account_id", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("unlimited", sa.Boolean, nullable=False),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("remaining", "assigned", "used")),
        sa.PrimaryKeyConstraint("account_id", name="pk_balance"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_balance_account_id_account"),
        sa.CheckConstraint("remaining >= 0", name="ck_balance_remaining"),
    )


def _movements() -> None:
    op.create_table(
        "stamp_movement",
        sa.Column("id", NUMBER, nullable=False),
        *(
            sa.Column(name, sa.BigInteger, nullable=False)
            for name in ("account_id", "stamps_in", "stamps_out", "current")
        ),
        sa.Column("comment", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("by_account_id", sa.BigInteger, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_stamp_movement"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_stamp_movement_account_id_account"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_stamp_movement_account_id_id", "stamp_movement", ["account_id", "id"])


def _furnish(holder: sa.Table, balance: sa.Table) -> None:
    """Accounts that exist already stamp as a new one of their environment would."""
    connection = op.get_bind()
    environment = connection.execute(
        sa.text("SELECT value FROM identity WHERE name = 'environment'")
    ).scalar_one_or_none()
    accounts = connection.execute(sa.text("SELECT id, created_at FROM account")).all()
    empty = dict.fromkeys(("name", "tax_id", "notification_email", "phone"), "")
    nothing = {"unlimited": environment != "production", "remaining": 0, "assigned": 0, "used": 0}
    for account_id, created_at in accounts:
        known = {"guid": str(uuid4()), "password_at": created_at, "dealer_id": None}
        connection.execute(holder.insert().values(account_id=account_id, **known, **empty))
        connection.execute(balance.insert().values(account_id=account_id, **nothing))
