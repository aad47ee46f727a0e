"""What is due in the outbox is found in order, however long it is."""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.drop_index("ix_outbox_due_at", "outbox")
    op.create_index("ix_outbox_kind_due_at_subject", "outbox", ["kind", "due_at", "subject"])
