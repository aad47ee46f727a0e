"""What the vendor stamps although a rule rejects it, by account."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0054"
down_revision = version_before(revision)


def upgrade() -> None:
    op.add_column("account", sa.Column("vendor_leniency", sa.Text))
