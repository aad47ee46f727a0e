"""Accounts, infinite tokens, stored seal certificates, the service's secrets."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _accounts()
    _tokens()
    _certificates()
    _secrets()


def _accounts() -> None:
    op.create_table(
        "account",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("user", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("password", sa.Text, nullable=False),
        sa.Column("generation", sa.BigInteger, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("changed", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_account"),
        sa.UniqueConstraint("name", name="uq_account_name"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_account_changed", "account", ["changed"])


def _tokens() -> None:
    op.create_table(
        "infinite_token",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("revoked_at", sa.BigInteger, nullable=True),
        sa.Column("changed", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_infinite_token"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_infinite_token_account_id_account"),
    )
    op.create_index("ix_infinite_token_account_id", "infinite_token", ["account_id"])
    op.create_index("ix_infinite_token_changed", "infinite_token", ["changed"])


def _certificates() -> None:
    op.create_table(
        "csd",
        sa.Column("account_id", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("number", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("rfc", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("valid_from", sa.BigInteger, nullable=False),
        sa.Column("valid_to", sa.BigInteger, nullable=False),
        sa.Column("certificate", sa.LargeBinary, nullable=False),
        sa.Column("sealed_key", sa.LargeBinary, nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("stored_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("account_id", "number", name="pk_csd"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_csd_account_id_account"),
    )
    op.create_index("ix_csd_account_id_rfc", "csd", ["account_id", "rfc"])


def _secrets() -> None:
    op.create_table(
        "secret",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_secret"),
    )
