"""Validation of received documents, and words of stamped documents for their search."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0042"
down_revision = version_before(revision)


def upgrade() -> None:
    _create_words()
    _create_runs()
    op.create_table(
        "validation_result",
        sa.Column("run_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("document_id", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("is_metadata", sa.Boolean, nullable=False),
        sa.Column("uuid", sa.Text, nullable=True),
        sa.Column("receiver_rfc", sa.Text, nullable=True),
        sa.Column("result", sa.Text, nullable=True),
        sa.Column("status", sa.Text, nullable=True),
        sa.Column("article_69b", sa.Text, nullable=True),
        sa.Column("duplicate_of", sa.Integer, nullable=True),
        sa.Column("search", sa.Text, nullable=False),
        sa.Column("document", sa.JSON, nullable=False),
        sa.Column("findings", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("run_id", "document_id", name="pk_validation_result"),
        sa.ForeignKeyConstraint(["run_id"], ["validation_run.id"], name="fk_validation_result_run_id_validation_run"),
        sa.UniqueConstraint("run_id", "digest", name="uq_validation_result_run_id_digest"),
    )
    op.create_index("ix_validation_result_run_id_uuid", "validation_result", ["run_id", "uuid"])


def _create_words() -> None:
    word = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "stamp_word",
        sa.Column("account_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("word", word, nullable=False),
        sa.Column("cursor", sa.BigInteger, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("account_id", "word", "cursor", name="pk_stamp_word"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "stamp_word_progress",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("indexed", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_stamp_word_progress"),
    )


def _create_runs() -> None:
    op.create_table(
        "validation_run",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("submission", sa.Text, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("documents", sa.Integer, nullable=False),
        sa.Column("wrong", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_validation_run"),
        sa.UniqueConstraint("account_id", "submission", name="uq_validation_run_account_id_submission"),
        sqlite_autoincrement=True,
    )
    for columns in (("account_id", "created_at", "id"), ("created_at",)):
        op.create_index(f"ix_validation_run_{'_'.join(columns)}", "validation_run", [*columns])
