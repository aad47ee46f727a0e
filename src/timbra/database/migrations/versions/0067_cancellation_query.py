"""Stamps whose cancellation the SAT accepted and has not decided."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0067"
down_revision = version_before(revision)


def upgrade() -> None:
    op.create_table(
        "cancellation_query",
        sa.Column("uuid", sa.Text, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("requested_at", sa.BigInteger, nullable=False),
        sa.Column("due_at", sa.BigInteger, nullable=False),
        sa.Column("motive", sa.Text, nullable=False),
        sa.Column("substitute", sa.Text, nullable=False),
        sa.Column("request_id", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("uuid", name="pk_cancellation_query"),
    )
    op.create_index("ix_cancellation_query_due_at", "cancellation_query", ["due_at"])
