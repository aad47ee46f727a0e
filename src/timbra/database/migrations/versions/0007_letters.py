"""Stamped CFDI that are to be mailed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.create_table(
        "letter",
        *(sa.Column(name, sa.Text, nullable=False) for name in ("uuid", "recipient")),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("account_id", "created_at")),
        sa.Column("due_at", sa.BigInteger, nullable=True),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("failure", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("uuid", "recipient", name="pk_letter"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_letter_due_at", "letter", ["due_at"])
