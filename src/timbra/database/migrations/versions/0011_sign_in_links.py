"""One-time links that sign in to the portal."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "sign_in_link",
        sa.Column("token_hash", sa.LargeBinary, nullable=False),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("account_id", "generation", "expires_at")),
        sa.PrimaryKeyConstraint("token_hash", name="pk_sign_in_link"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_sign_in_link_account_id_account"),
    )
    op.create_index("ix_sign_in_link_expires_at", "sign_in_link", ["expires_at"])
