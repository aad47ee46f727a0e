"""Editions of the SAT's catalogs, and when each was put in force."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0077"
down_revision = version_before(revision)
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "catalog_edition",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("published", sa.Text, nullable=False),
        sa.Column("installed_at", sa.BigInteger, nullable=False),
        sa.Column("file_name", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("summary", sa.JSON, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_catalog_edition"),
    )
    op.create_table(
        "catalog_use",
        sa.Column("id", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("since", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_catalog_use"),
        sqlite_autoincrement=True,
    )
