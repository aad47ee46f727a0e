"""Reconciliations that accounts order, with their files and their differences."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0068"
down_revision = version_before(revision)


def upgrade() -> None:
    op.create_table(
        "reconciliation",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("submission", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("finished_at", sa.BigInteger, nullable=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("options", sa.JSON, nullable=False),
        sa.Column("summary", sa.JSON, nullable=True),
        sa.Column("failure", sa.Text, nullable=False),
        sa.Column("due_at", sa.BigInteger, nullable=True),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_reconciliation"),
        sa.UniqueConstraint("account_id", "submission", name="uq_reconciliation_account_id_submission"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_reconciliation_account_id_created_at_id", "reconciliation", ["account_id", "created_at", "id"])
    for column in ("due_at", "created_at"):
        op.create_index(f"ix_reconciliation_{column}", "reconciliation", [column])
    for table, key in (
        ("reconciliation_file", sa.Column("place", sa.Integer, autoincrement=False, nullable=False)),
        ("reconciliation_part", sa.Column("kind", sa.Text, nullable=False)),
    ):
        op.create_table(
            table,
            sa.Column("reconciliation_id", sa.BigInteger, autoincrement=False, nullable=False),
            key,
            sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
            sa.Column("content", sa.LargeBinary, nullable=False),
            sa.PrimaryKeyConstraint("reconciliation_id", key.name, "number", name=f"pk_{table}"),
            sa.ForeignKeyConstraint(
                ["reconciliation_id"], ["reconciliation.id"], name=f"fk_{table}_reconciliation_id_reconciliation"
            ),
        )
