"""Several users of one account, each with a role and a password, and tokens of users."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0017"
down_revision = version_before(revision)

_AUTO_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "account_user",
        sa.Column("id", _AUTO_NUMBER, autoincrement=True, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("guid", sa.Text, nullable=False),
        sa.Column("user", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("password", sa.Text, nullable=False),
        sa.Column("generation", sa.BigInteger, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("password_at", sa.BigInteger, nullable=False),
        sa.Column("changed", sa.BigInteger, nullable=False),
        sa.Column("removed_at", sa.BigInteger),
        sa.PrimaryKeyConstraint("id", name="pk_account_user"),
        sa.UniqueConstraint("guid", name="uq_account_user_guid"),
        sa.UniqueConstraint("name", name="uq_account_user_name"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_account_user_account_id_account"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_account_user_account_id", "account_user", ["account_id"])
    op.create_index("ix_account_user_changed", "account_user", ["changed"])
    op.add_column("infinite_token", sa.Column("user_id", sa.BigInteger, nullable=True))
