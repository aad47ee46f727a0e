"""Operations that one person requests and another one confirms."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0075"
down_revision = version_before(revision)
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "approval",
        sa.Column("id", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("action", "subject", "requested_by")),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("requested_at", "expires_at")),
        sa.Column("confirmed_by", sa.Text, nullable=True),
        *(sa.Column(name, sa.BigInteger, nullable=True) for name in ("confirmed_at", "closed_at")),
        sa.PrimaryKeyConstraint("id", name="pk_approval"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_approval_expires_at", "approval", ["expires_at"])
