"""Taxpayers of the sandbox may be in the list of article 69-B."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.add_column("sandbox_taxpayer", sa.Column("situation", sa.Text, nullable=True))
