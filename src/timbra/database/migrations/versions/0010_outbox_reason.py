"""Dead letters of the outbox: set apart at once where retrying is of no use, with the reason."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column("outbox", sa.Column("dead", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("outbox", sa.Column("reason", sa.Text, nullable=True))
