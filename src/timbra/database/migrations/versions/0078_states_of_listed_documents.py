"""States of cancellations in the rows of lists, and the sums by state.

The consumer of the event log begins at the first event, so that documents of before get their states. Until it has read
them, searches read the events besides.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0078"
down_revision = version_before(revision)
_HAS_STATE = sa.text("state IS NOT NULL")


def upgrade() -> None:
    op.add_column("listed_document", sa.Column("state", sa.Text))
    op.create_index(
        "ix_listed_document_state",
        "listed_document",
        ["account_id", "state", "stamped_at", "cursor"],
        sqlite_where=_HAS_STATE,
        postgresql_where=_HAS_STATE,
    )
    op.create_table(
        "cancellation_sum",
        sa.Column("account_id", sa.BigInteger, autoincrement=False, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("state", "day", "kind", "currency")),
        *(
            sa.Column(name, sa.BigInteger, nullable=False)
            for name in ("documents", "damaged", "billions", "units", "millionths")
        ),
        sa.PrimaryKeyConstraint("account_id", "state", "day", "kind", "currency", name="pk_cancellation_sum"),
        sqlite_with_rowid=False,
    )
    op.execute("INSERT INTO event_consumer (name, position, gaps, turn) VALUES ('cancellation_states', 0, '[]', 0)")
