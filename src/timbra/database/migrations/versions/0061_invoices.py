"""Drafts of invoices by hand, and the customers, products and issuers of an account."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0061"
down_revision = version_before(revision)


def upgrade() -> None:
    op.create_table(
        "invoice_draft",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("changed_at", sa.BigInteger, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("total", sa.Text, nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_invoice_draft"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_invoice_draft_account_id_changed_at_id", "invoice_draft", ["account_id", "changed_at", "id"])
    op.create_table(
        "invoice_entry",
        sa.Column("account_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("used_at", sa.BigInteger, nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("account_id", "kind", "key", name="pk_invoice_entry"),
    )
    op.create_index("ix_invoice_entry_account_id_kind_used_at", "invoice_entry", ["account_id", "kind", "used_at"])
