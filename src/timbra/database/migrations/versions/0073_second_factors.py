"""Second factors of users of the portal: secrets of one-time codes, and recovery codes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0073"
down_revision = version_before(revision)


def upgrade() -> None:
    op.create_table(
        "totp",
        *_owner(),
        sa.Column("sealed_secret", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("confirmed_at", sa.BigInteger, nullable=True),
        sa.Column("last_step", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("account_id", "user_id", name="pk_totp"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_totp_account_id_account"),
    )
    op.create_table(
        "recovery_code",
        *_owner(),
        sa.Column("code_hash", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("account_id", "user_id", "code_hash", name="pk_recovery_code"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_recovery_code_account_id_account"),
    )


def _owner() -> list[sa.Column[int]]:
    return [sa.Column(name, sa.BigInteger, autoincrement=False, nullable=False) for name in ("account_id", "user_id")]
