"""Keys of confirmation (Confirmacion) that the provider issued, and the stamps that used them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0055"
down_revision = version_before(revision)


def upgrade() -> None:
    op.create_table(
        "confirmation",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("rfc", sa.Text, nullable=False),
        sa.Column("account_id", sa.BigInteger),
        sa.Column("issued_at", sa.BigInteger, nullable=False),
        sa.Column("uuid", sa.Text),
    )
    op.create_index("ix_confirmation_account_id", "confirmation", ["account_id"])
