"""Template of the PDF files of a batch."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0049"
down_revision = version_before(revision)


def upgrade() -> None:
    op.add_column("batch", sa.Column("pdf_template", sa.Text, nullable=False, server_default=sa.text("''")))
