"""What others send to an account: links of suppliers, mail_accounts, and each submission."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0071"
down_revision = version_before(revision)
_KEY = ("account_id", "host", "user", "folder")
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def upgrade() -> None:
    op.add_column("received_document", sa.Column("origin", sa.Text, nullable=True))
    op.create_table(
        "received_link",
        sa.Column("id", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("token_hash", sa.LargeBinary, nullable=False),
        *_texts("name"),
        sa.Column("issuer_rfc", sa.Text, nullable=True),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("created_at", "expires_at")),
        *(sa.Column(name, sa.BigInteger, nullable=True) for name in ("revoked_at", "used_at", "hour_at")),
        sa.Column("hour_uploads", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_received_link"),
        sa.UniqueConstraint("token_hash", name="uq_received_link_token_hash"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_received_link_account_id", "received_link", ["account_id"])
    op.create_table(
        "received_mail_account",
        sa.Column("id", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        *_texts("host"),
        sa.Column("port", sa.Integer, nullable=False),
        *_texts("user", "folder"),
        sa.Column("sealed_password", sa.LargeBinary, nullable=False),
        sa.Column("uid_validity", sa.BigInteger, nullable=True),
        sa.Column("last_uid", sa.BigInteger, nullable=False),
        sa.Column("read_at", sa.BigInteger, nullable=True),
        *_texts("problem"),
        sa.PrimaryKeyConstraint("id", name="pk_received_mail_account"),
        sa.UniqueConstraint(
            "account_id", "host", "user", "folder", name="uq_received_mail_account_account_id_host_user_folder"
        ),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "received_submission",
        sa.Column("id", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        *_texts("source", "origin", "subject"),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("stored", "known", "rejected")),
        sa.Column("files", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_received_submission"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_received_submission_account_id_id", "received_submission", ["account_id", "id"])
    op.create_index("ix_received_submission_at", "received_submission", ["at"])
