"""The consumer of the event log that writes e-mails."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0059"
down_revision = version_before(revision)


def upgrade() -> None:
    op.execute(
        sa.text(
            "INSERT INTO event_consumer (name, position, gaps, turn) "
            "SELECT 'email', coalesce(max(id), 0), '[]', 0 FROM event"
        )
    )
