"""Archives of each month."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0048"
down_revision = version_before(revision)


def upgrade() -> None:
    op.create_table(
        "archive",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("first_day", sa.Text, nullable=False),
        sa.Column("last_day", sa.Text, nullable=False),
        sa.Column("place", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("documents", sa.BigInteger, nullable=False),
        sa.Column("acuses", sa.BigInteger, nullable=False),
        sa.Column("events", sa.BigInteger, nullable=False),
        sa.Column("exported_at", sa.BigInteger),
        sa.Column("pruned_at", sa.BigInteger),
        sa.Column("failed_at", sa.BigInteger),
        sa.Column("failure", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_archive"),
    )
