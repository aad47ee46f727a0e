"""Answers of the SAT to deliveries of stamps."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0023"
down_revision = version_before(revision)


def upgrade() -> None:
    op.create_table(
        "reception",
        sa.Column("uuid", sa.Text, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("issuer_rfc", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("stamped_at", sa.BigInteger, nullable=False),
        sa.Column("uploaded_at", sa.BigInteger, nullable=False),
        sa.Column("acknowledged_at", sa.BigInteger, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("incidencias", sa.JSON, nullable=False),
        sa.Column("acuse", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("uuid", name="pk_reception"),
    )
    op.create_index("ix_reception_acknowledged_at", "reception", ["acknowledged_at"])
    op.create_index("ix_reception_state_acknowledged_at", "reception", ["state", "acknowledged_at"])
