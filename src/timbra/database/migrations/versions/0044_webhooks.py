"""Webhooks: endpoints of accounts, events, deliveries, attempts, alerts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0044"
down_revision = version_before(revision)


def upgrade() -> None:
    op.create_table(
        "webhook",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("format", sa.Text, nullable=False),
        sa.Column("events", sa.Text, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("enabled", sa.Boolean, nullable=False),
        sa.Column("disabled_reason", sa.Text, nullable=False),
        sa.Column("sealed_secret", sa.LargeBinary, nullable=False),
        sa.Column("sealed_previous", sa.LargeBinary, nullable=True),
        sa.Column("previous_until", sa.BigInteger, nullable=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("failing_since", sa.BigInteger, nullable=True),
        sa.Column("paused_until", sa.BigInteger, nullable=True),
        sa.Column("succeeded_at", sa.BigInteger, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_webhook"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_webhook_account_id_account"),
    )
    op.create_index("ix_webhook_account_id", "webhook", ["account_id"])
    op.create_table(
        "webhook_event",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_event"),
    )
    op.create_index("ix_webhook_event_subject", "webhook_event", ["subject"])
    op.create_index("ix_webhook_event_created_at", "webhook_event", ["created_at"])
    op.create_table(
        "webhook_delivery",
        sa.Column("event_id", sa.Text, nullable=False),
        sa.Column("webhook_id", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("due_at", sa.BigInteger, nullable=True),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("failure", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("event_id", "webhook_id", name="pk_webhook_delivery"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_webhook_delivery_due_at", "webhook_delivery", ["due_at"])
    op.create_index("ix_webhook_delivery_webhook_id", "webhook_delivery", ["webhook_id"])
    op.create_table(
        "webhook_attempt",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("delivery_id", sa.Text, nullable=False),
        sa.Column("event_id", sa.Text, nullable=False),
        sa.Column("webhook_id", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("status", sa.Integer, nullable=True),
        sa.Column("delivered", sa.Boolean, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("milliseconds", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_attempt"),
    )
    op.create_index("ix_webhook_attempt_webhook_id_id", "webhook_attempt", ["webhook_id", "id"])
    op.create_index("ix_webhook_attempt_at", "webhook_attempt", ["at"])
    op.create_table(
        "webhook_alert",
        sa.Column("account_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("account_id", "kind", "subject", name="pk_webhook_alert"),
    )
