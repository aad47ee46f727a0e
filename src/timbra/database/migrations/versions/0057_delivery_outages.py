"""Outages of the services that receive stamps."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0057"
down_revision = version_before(revision)


def upgrade() -> None:
    op.create_table(
        "delivery_outage",
        sa.Column("service", sa.Text, primary_key=True),
        sa.Column("since", sa.BigInteger, nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
    )
