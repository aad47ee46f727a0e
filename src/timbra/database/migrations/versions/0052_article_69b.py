"""Policy of accounts for taxpayers in the definitive list of article 69-B of the CFF."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0052"
down_revision = version_before(revision)


def upgrade() -> None:
    op.add_column("account", sa.Column("article_69b", sa.Text))
