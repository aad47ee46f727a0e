"""How the documents of an account are printed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0027"
down_revision = version_before(revision)


def upgrade() -> None:
    op.create_table(
        "print_branding",
        sa.Column("account_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("template", sa.Text, nullable=False),
        sa.Column("color", sa.Text, nullable=False),
        sa.Column("footer", sa.Text, nullable=False),
        sa.Column("logo_kind", sa.Text, nullable=True),
        sa.Column("logo", sa.LargeBinary, nullable=True),
        sa.Column("changed_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("account_id", name="pk_print_branding"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_print_branding_account_id_account"),
    )
