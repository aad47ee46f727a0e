"""Amounts of stamped documents, for sums and orders of lists."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0062"
down_revision = version_before(revision)


def upgrade() -> None:
    # The rows are written after the upgrade, with the words of all stamps: see `timbra.stamps.document_index`.
    op.create_table(
        "document_amount",
        sa.Column("cursor", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("currency", sa.Text, nullable=False),
        sa.Column("units", sa.BigInteger),
        sa.Column("millionths", sa.Integer),
        sa.PrimaryKeyConstraint("cursor", name="pk_document_amount"),
    )
    op.create_index(
        "ix_document_amount_account_id_units_millionths_cursor",
        "document_amount",
        ["account_id", "units", "millionths", "cursor"],
    )
