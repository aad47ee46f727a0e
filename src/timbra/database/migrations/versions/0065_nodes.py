"""What each node of an installation reports of itself."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0065"
down_revision = version_before(revision)


def upgrade() -> None:
    op.create_table(
        "node",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("seen_at", sa.BigInteger, nullable=False),
        sa.Column("body", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_node"),
    )
