"""Selection of the requests that a fault of the sandbox affects, and the e-mails that a sandbox keeps."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before
from timbra.database.tables.column_types import AutoNumber, Instant

revision = "0053"
down_revision = version_before(revision)


def upgrade() -> None:
    for name, value in (("per_million", "1000000"), ("seed", "1")):
        op.add_column("sandbox_fault", sa.Column(name, sa.BigInteger, nullable=False, server_default=sa.text(value)))
    for name in ("route", "account"):
        op.add_column("sandbox_fault", sa.Column(name, sa.Text, nullable=False, server_default=sa.text("''")))
    op.create_table(
        "sandbox_mail",
        sa.Column("id", AutoNumber, primary_key=True),
        sa.Column("at", Instant, nullable=False),
        sa.Column("recipient", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sqlite_autoincrement=True,
    )
