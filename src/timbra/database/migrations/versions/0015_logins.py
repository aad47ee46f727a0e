"""Limits of failed logins, known origins of accounts, and notices about their security."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0015"
down_revision = version_before(revision)


def upgrade() -> None:
    op.create_table(
        "login_limit",
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("drained_at", sa.BigInteger, nullable=False),
        sa.Column("blocked_until", sa.BigInteger),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_login_limit"),
    )
    op.create_index("ix_login_limit_expires_at", "login_limit", ["expires_at"])
    op.create_table(
        "known_origin",
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("seen_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("account_id", "origin", name="pk_known_origin"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_known_origin_account_id_account"),
    )
    op.create_index("ix_known_origin_seen_at", "known_origin", ["seen_at"])
    op.create_table(
        "notice",
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("recipient", sa.Text, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("due_at", sa.BigInteger),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("failure", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("subject", "recipient", name="pk_notice"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_notice_account_id_account"),
    )
    op.create_index("ix_notice_due_at", "notice", ["due_at"])
