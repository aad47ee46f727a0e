"""Cancellation at the simulated authority: open requests, scripted receivers, its history."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_IS_CANCELLATION = sa.text("kind LIKE 'cancellation.%'")

# Six hours behind UTC: central Mexico around the turn of a year.
_YEAR = {
    "postgresql": sa.text(
        "UPDATE sandbox_document SET fuel = false, "
        "year = EXTRACT(YEAR FROM to_timestamp(issued_at / 1000000 - 21600) AT TIME ZONE 'UTC')"
    ),
    "sqlite": sa.text(
        "UPDATE sandbox_document SET fuel = false, "
        "year = CAST(strftime('%Y', issued_at / 1000000 - 21600, 'unixepoch') AS INTEGER)"
    ),
}


def upgrade() -> None:
    _documents()
    op.create_table(
        "sandbox_request",
        *(sa.Column(name, sa.Text, nullable=False) for name in ("uuid", "receiver_rfc", "motivo", "replacement")),
        sa.Column("requested_at", sa.BigInteger, nullable=False),
        sa.Column("due_at", sa.BigInteger, nullable=True),
        sa.Column("outcome", sa.Text, nullable=True),
        sa.PrimaryKeyConstraint("uuid", name="pk_sandbox_request"),
    )
    op.create_index("ix_sandbox_request_receiver_rfc", "sandbox_request", ["receiver_rfc"])
    op.create_index("ix_sandbox_request_due_at", "sandbox_request", ["due_at"])
    op.create_table(
        "sandbox_script",
        *(sa.Column(name, sa.Text, nullable=False) for name in ("rfc", "outcome")),
        sa.Column("seconds", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("rfc", name="pk_sandbox_script"),
    )
    op.create_index(
        "ix_event_cancellation",
        "event",
        ["subject"],
        sqlite_where=_IS_CANCELLATION,
        postgresql_where=_IS_CANCELLATION,
    )


def _documents() -> None:
    """What is on file already gets the year of its stamp; that it is about fuel nobody noted."""
    with op.batch_alter_table("sandbox_document") as documents:
        documents.add_column(sa.Column("year", sa.Integer, nullable=True))
        documents.add_column(sa.Column("fuel", sa.Boolean, nullable=True))
    op.execute(_YEAR[op.get_bind().dialect.name])
    with op.batch_alter_table("sandbox_document") as documents:
        documents.alter_column("year", existing_type=sa.Integer, nullable=False)
        documents.alter_column("fuel", existing_type=sa.Boolean, nullable=False)
