"""The consumer of the event log that writes the deliveries of stamps."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0060"
down_revision = version_before(revision)


def upgrade() -> None:
    # Programs that run until the end of a rolling restart write the deliveries of their stamps themselves.
    op.execute(
        sa.text(
            "INSERT INTO event_consumer (name, position, gaps, turn) "
            "SELECT 'deliveries', coalesce(max(id), 0), '[]', 0 FROM event"
        )
    )
