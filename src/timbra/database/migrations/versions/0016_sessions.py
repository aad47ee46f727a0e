"""Sessions that users ended, scopes and expiry of infinite tokens, and signed requests that were sent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0016"
down_revision = version_before(revision)


def upgrade() -> None:
    op.create_table(
        "ended_session",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("changed", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_ended_session"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_ended_session_account_id_account"),
    )
    op.create_index("ix_ended_session_changed", "ended_session", ["changed"])
    op.create_index("ix_ended_session_expires_at", "ended_session", ["expires_at"])
    op.create_table(
        "signed_request",
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_signed_request"),
    )
    op.create_index("ix_signed_request_at", "signed_request", ["at"])
    op.add_column("infinite_token", sa.Column("scopes", sa.Text, nullable=True))
    op.add_column("infinite_token", sa.Column("expires_at", sa.BigInteger, nullable=True))
