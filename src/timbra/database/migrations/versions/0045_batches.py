"""Batches of documents to stamp."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0045"
down_revision = version_before(revision)


def upgrade() -> None:
    op.create_table(
        "batch",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("operation", sa.Text, nullable=False),
        sa.Column("file_name", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("pdf", sa.Boolean, nullable=False),
        sa.Column("base_url", sa.Text, nullable=False),
        sa.Column("files", sa.Integer, nullable=False),
        sa.Column("stamped", sa.Integer, nullable=False),
        sa.Column("repeated", sa.Integer, nullable=False),
        sa.Column("rejected", sa.Integer, nullable=False),
        sa.Column("failure", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("started_at", sa.BigInteger, nullable=True),
        sa.Column("finished_at", sa.BigInteger, nullable=True),
        sa.Column("expires_at", sa.BigInteger, nullable=True),
        sa.Column("due_at", sa.BigInteger, nullable=True),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_batch"),
    )
    op.create_index("ix_batch_account_id_created_at", "batch", ["account_id", "created_at"])
    op.create_index("ix_batch_due_at", "batch", ["due_at"])
    op.create_index("ix_batch_expires_at", "batch", ["expires_at"])
    op.create_table(
        "batch_item",
        sa.Column("batch_id", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("result", sa.Text, nullable=False),
        sa.Column("uuid", sa.Text, nullable=False),
        sa.Column("stamped_at", sa.Text, nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("batch_id", "number", name="pk_batch_item"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "batch_chunk",
        sa.Column("batch_id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("batch_id", "kind", "number", name="pk_batch_chunk"),
    )
