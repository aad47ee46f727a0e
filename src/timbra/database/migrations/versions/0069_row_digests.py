"""Digests of rows; the process for deliveries creates the triggers that empty them, see `timbra.fsck.row_digests`."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0069"
down_revision = version_before(revision)


def upgrade() -> None:
    op.create_table(
        "row_digest",
        sa.Column("place", sa.Text, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("digests", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("place", "number", "key", name="pk_row_digest"),
        sqlite_with_rowid=False,
    )
    is_pending = sa.text("length(digests) = 0")
    op.create_index(
        "ix_row_digest_pending",
        "row_digest",
        ["place", "number", "key"],
        sqlite_where=is_pending,
        postgresql_where=is_pending,
    )
