"""Consumers of the event log, each with a cursor, and the mark of the events that they read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0058"
down_revision = version_before(revision)


def upgrade() -> None:
    # Without a value: programs that run until the end of a rolling restart write what follows from an event themselves.
    op.add_column("event", sa.Column("format", sa.SmallInteger))
    op.create_table(
        "event_consumer",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("gaps", sa.Text, nullable=False),
        sa.Column("turn", sa.BigInteger, nullable=False),
    )
    op.execute(
        sa.text(
            "INSERT INTO event_consumer (name, position, gaps, turn) "
            "SELECT 'webhooks', coalesce(max(id), 0), '[]', 0 FROM event"
        )
    )
