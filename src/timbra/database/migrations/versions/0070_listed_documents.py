"""Rows of lists of documents and their sums by day, in place of amounts and of indexes of the stamps."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0070"
down_revision = version_before(revision)

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
KEYS = (
    ("stamped_at",),
    ("kind", "stamped_at"),
    ("issuer_rfc", "stamped_at"),
    ("receiver_rfc", "stamped_at"),
    ("folio", "stamped_at"),
    ("serie", "folio"),
    ("fecha",),
    ("units", "millionths"),
)


def upgrade() -> None:
    # The rows are written after the upgrade, as the words of all stamps were: see `timbra.stamps.document_index`.
    op.create_table(
        "listed_document",
        sa.Column("cursor", NUMBER, autoincrement=False, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("uuid", sa.Text, nullable=False),
        sa.Column("stamped_at", sa.BigInteger, nullable=False),
        *(_text(name) for name in ("kind", "serie", "folio", "fecha", "issuer_rfc", "receiver_rfc")),
        sa.Column("total", sa.Text, nullable=False),
        sa.Column("currency", sa.Text, nullable=False),
        sa.Column("units", sa.BigInteger, nullable=False),
        sa.Column("millionths", sa.Integer, nullable=False),
        _text("words"),
        sa.PrimaryKeyConstraint("cursor", name="pk_listed_document"),
    )
    op.create_index("ix_listed_document_uuid", "listed_document", ["uuid"])
    for keys in KEYS:
        columns = ("account_id", *keys, "cursor")
        op.create_index(f"ix_listed_document_{'_'.join(columns)}", "listed_document", list(columns))
    op.create_table(
        "document_sum",
        sa.Column("account_id", sa.BigInteger, autoincrement=False, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("day", "kind", "currency")),
        *(
            sa.Column(name, sa.BigInteger, nullable=False)
            for name in ("documents", "damaged", "billions", "units", "millionths")
        ),
        sa.PrimaryKeyConstraint("account_id", "day", "kind", "currency", name="pk_document_sum"),
        sqlite_with_rowid=False,
    )
    op.drop_table("document_amount")
    for name in ("issuer_rfc_stamped_at_cursor", "receiver_rfc_stamped_at_cursor", "folio_stamped_at_cursor"):
        op.drop_index(f"ix_stamp_account_id_{name}", table_name="stamp")
    op.drop_index("ix_stamp_account_id_retenciones", table_name="stamp")


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, TEXT, nullable=False)
