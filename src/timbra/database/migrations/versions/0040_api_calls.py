"""Recorded calls of the API."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0040"
down_revision = version_before(revision)

_AUTO_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "api_call",
        sa.Column("id", _AUTO_NUMBER, autoincrement=True, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("request_id", sa.Text, nullable=False),
        sa.Column("method", sa.Text, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("operation", sa.Text, nullable=False),
        sa.Column("status", sa.Integer, nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("microseconds", sa.BigInteger, nullable=False),
        sa.Column("request_bytes", sa.BigInteger, nullable=False),
        sa.Column("response_bytes", sa.BigInteger, nullable=False),
        sa.Column("issuer_rfc", sa.Text, nullable=False),
        sa.Column("receiver_rfc", sa.Text, nullable=False),
        sa.Column("keywords", sa.Text, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_api_call"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_api_call_account_id_id", "api_call", ["account_id", "id"])
    op.create_index("ix_api_call_at", "api_call", ["at"])
    op.create_table(
        "api_call_dropped",
        sa.Column("account_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("calls", sa.BigInteger, nullable=False),
        sa.Column("last_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("account_id", name="pk_api_call_dropped"),
    )
