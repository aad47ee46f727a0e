"""What the pages of an account look up: stamps by what is written on them, refused requests, use by day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    for columns in ((), ("issuer_rfc",), ("receiver_rfc",), ("folio",)):
        _index("stamp", "account_id", *columns, "stamped_at", "cursor")
    _refusals()
    _usage()


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_{'_'.join(columns)}", table, [*columns])


def _texts(names: str, *, nullable: bool = False) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=nullable) for name in names.split()]


def _refusals() -> None:
    op.create_table(
        "refusal",
        sa.Column("id", NUMBER, nullable=False),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("account_id", "at", "fiscal_at")),
        *_texts("request_id operation code detail"),
        *_texts("path found expected", nullable=True),
        *_texts("issuer_rfc receiver_rfc serie folio document_hash"),
        sa.Column("document", sa.LargeBinary, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_refusal"),
        sqlite_autoincrement=True,
    )
    for columns in ((), ("code",), ("issuer_rfc",), ("receiver_rfc",)):
        _index("refusal", "account_id", *columns, "at", "id")
    _index("refusal", "account_id", "request_id")
    _index("refusal", "at")


def _usage() -> None:
    op.create_table(
        "usage_day",
        sa.Column("account_id", sa.BigInteger, nullable=False, autoincrement=False),
        *_texts("day"),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("stamps", "refusals")),
        sa.PrimaryKeyConstraint("account_id", "day", name="pk_usage_day"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "usage_progress",
        *_texts("name"),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("counted", "seen", "seen_at")),
        sa.PrimaryKeyConstraint("name", name="pk_usage_progress"),
    )
