"""Uses of the provider's keys by day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0022"
down_revision = version_before(revision)


def upgrade() -> None:
    op.create_table(
        "key_use",
        sa.Column("day", sa.Text, nullable=False),
        sa.Column("number", sa.Text, nullable=False),
        sa.Column("signatures", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("day", "number", name="pk_key_use"),
    )
