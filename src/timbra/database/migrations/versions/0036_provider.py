"""Availability by day, and the manifests that issuers signed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0036"
down_revision = version_before(revision)


def upgrade() -> None:
    op.create_table(
        "availability_day",
        sa.Column("day", sa.Text, nullable=False),
        sa.Column("ready", sa.Integer, nullable=False),
        sa.Column("unready", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("day", name="pk_availability_day"),
    )
    op.create_table(
        "manifest",
        sa.Column("issuer_rfc", sa.Text, nullable=False),
        sa.Column("signed_at", sa.BigInteger, nullable=False),
        sa.Column("registered_at", sa.BigInteger, nullable=False),
        sa.Column("file_name", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("document", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("issuer_rfc", name="pk_manifest"),
    )
