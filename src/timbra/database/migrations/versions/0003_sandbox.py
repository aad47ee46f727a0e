"""The simulated authority: keys, certificates, taxpayers, ledger, clock and faults."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    _state()
    _lists()
    _ledger()


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _state() -> None:
    op.create_table(
        "sandbox_state",
        *_texts("name", "value"),
        sa.PrimaryKeyConstraint("name", name="pk_sandbox_state"),
    )
    op.create_table(
        "sandbox_key",
        *_texts("role", "number"),
        sa.Column("certificate", sa.LargeBinary, nullable=False),
        sa.Column("sealed_key", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("role", name="pk_sandbox_key"),
    )
    op.create_table(
        "sandbox_fault",
        *_texts("name"),
        sa.Column("remaining", sa.BigInteger, nullable=True),
        sa.Column("milliseconds", sa.BigInteger, nullable=True),
        sa.PrimaryKeyConstraint("name", name="pk_sandbox_fault"),
    )


def _lists() -> None:
    op.create_table(
        "sandbox_taxpayer",
        *_texts("rfc", "name", "postal_code", "regimes"),
        sa.Column("obligations", sa.Integer, nullable=False),
        sa.Column("cancelled", sa.Boolean, nullable=False),
        sa.Column("listed", sa.Boolean, nullable=False),
        sa.Column("pending", sa.Text, nullable=True),
        sa.PrimaryKeyConstraint("rfc", name="pk_sandbox_taxpayer"),
    )
    op.create_table(
        "sandbox_certificate",
        *_texts("number", "rfc", "kind", "status"),
        sa.Column("pending_status", sa.Text, nullable=True),
        sa.Column("valid_from", sa.BigInteger, nullable=False),
        sa.Column("valid_to", sa.BigInteger, nullable=False),
        sa.Column("in_list", sa.Boolean, nullable=False),
        sa.Column("listed", sa.Boolean, nullable=False),
        sa.Column("certificate", sa.LargeBinary, nullable=True),
        sa.PrimaryKeyConstraint("number", name="pk_sandbox_certificate"),
    )
    op.create_index("ix_sandbox_certificate_rfc", "sandbox_certificate", ["rfc"])


def _ledger() -> None:
    op.create_table(
        "sandbox_document",
        *_texts("uuid", "version", "kind", "issuer_rfc", "receiver_rfc", "total", "total_mxn", "seal_tail"),
        sa.Column("issued_at", sa.BigInteger, nullable=False),
        *_texts("state", "cancellation", "origin"),
        sa.PrimaryKeyConstraint("uuid", name="pk_sandbox_document"),
    )
    op.create_table(
        "sandbox_relation",
        *_texts("uuid", "related", "relation"),
        sa.PrimaryKeyConstraint("uuid", "related", "relation", name="pk_sandbox_relation"),
    )
    op.create_index("ix_sandbox_relation_related", "sandbox_relation", ["related"])
