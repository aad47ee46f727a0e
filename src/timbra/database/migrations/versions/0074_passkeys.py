"""Passkeys of users of the portal."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0074"
down_revision = version_before(revision)
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "passkey",
        sa.Column("id", _NUMBER, autoincrement=True, nullable=False),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("account_id", "user_id")),
        sa.Column("name", sa.Text, nullable=False),
        *(sa.Column(name, sa.LargeBinary, nullable=False) for name in ("credential_id", "public_key")),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("sign_count", "created_at")),
        sa.Column("used_at", sa.BigInteger, nullable=True),
        sa.Column("challenge_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_passkey"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_passkey_account_id_account"),
        sa.UniqueConstraint("credential_id", name="uq_passkey_credential_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_passkey_account_id", "passkey", ["account_id"])
