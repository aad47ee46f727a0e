"""Certificates of the sandbox name the account that requested them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.add_column("sandbox_certificate", sa.Column("account_id", sa.BigInteger, nullable=True))
