"""Requests of the emulated bulk download, and their packages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0064"
down_revision = version_before(revision)


def upgrade() -> None:
    op.create_table(
        "download_request",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("register", sa.Text, nullable=False),
        sa.Column("rfc", sa.Text, nullable=False),
        sa.Column("package_type", sa.Text, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("criteria", sa.JSON, nullable=False),
        sa.Column("requested_at", sa.BigInteger, nullable=False),
        sa.Column("polls", sa.BigInteger, nullable=False),
        sa.Column("finished_at", sa.BigInteger),
        sa.Column("state", sa.Integer, nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("documents", sa.BigInteger, nullable=False),
        sa.Column("scripted", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_download_request"),
    )
    op.create_index("ix_download_request_rfc_register_question", "download_request", ["rfc", "register", "question"])
    op.create_table(
        "download_package",
        sa.Column("request_id", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("documents", sa.BigInteger, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("downloads", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("request_id", "number", name="pk_download_package"),
    )
