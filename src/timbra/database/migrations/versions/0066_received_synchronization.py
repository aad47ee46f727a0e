"""The download of received documents from the SAT: e.firma, synchronizations, requests, packages, issuers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0066"
down_revision = version_before(revision)
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _integers(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.Integer, nullable=False) for name in names]


def upgrade() -> None:
    op.add_column("received_document", sa.Column("seal_tail", sa.Text, nullable=True))
    op.create_table(
        "efirma",
        sa.Column("account_id", sa.BigInteger, autoincrement=False, nullable=False),
        *_texts("rfc", "number", "name"),
        sa.Column("valid_from", sa.BigInteger, nullable=False),
        sa.Column("valid_to", sa.BigInteger, nullable=False),
        sa.Column("certificate", sa.LargeBinary, nullable=False),
        sa.Column("sealed_key", sa.LargeBinary, nullable=False),
        sa.Column("stored_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("account_id", "rfc", name="pk_efirma"),
    )
    op.create_table(
        "received_issuer",
        sa.Column("account_id", sa.BigInteger, autoincrement=False, nullable=False),
        *_texts("rfc"),
        sa.Column("article_69b", sa.Text, nullable=True),
        sa.Column("changed_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("account_id", "rfc", name="pk_received_issuer"),
    )
    _create_syncs()
    _create_requests()
    _create_packages()


def _create_syncs() -> None:
    op.create_table(
        "received_sync",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        *_texts("rfc", "kind"),
        sa.Column("is_issued", sa.Boolean, nullable=False),
        *_texts("since"),
        sa.Column("planned_until", sa.Text, nullable=True),
        sa.Column("refreshed_at", sa.BigInteger, nullable=True),
        *_texts("state", "reason"),
        sa.Column("resume_at", sa.BigInteger, nullable=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_received_sync"),
        sa.UniqueConstraint(
            "account_id", "rfc", "kind", "is_issued", name="uq_received_sync_account_id_rfc_kind_is_issued"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_received_sync_state", "received_sync", ["state"])


def _create_requests() -> None:
    op.create_table(
        "received_request",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("sync_id", sa.BigInteger, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        *_texts("rfc", "kind"),
        sa.Column("is_issued", sa.Boolean, nullable=False),
        sa.Column("is_metadata", sa.Boolean, nullable=False),
        *_texts("starts", "until", "ends", "state", "request_id"),
        *_integers("attempt", "failures", "polls"),
        *_texts("code", "message"),
        *_integers("documents"),
        sa.Column("due_at", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("sent_at", sa.BigInteger, nullable=True),
        sa.Column("finished_at", sa.BigInteger, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_received_request"),
        sa.ForeignKeyConstraint(["sync_id"], ["received_sync.id"], name="fk_received_request_sync_id_received_sync"),
        sa.UniqueConstraint(
            "rfc", "kind", "is_issued", "starts", "ends", name="uq_received_request_rfc_kind_is_issued_starts_ends"
        ),
        sqlite_autoincrement=True,
    )
    for columns in (("account_id", "rfc", "state", "due_at"), ("sync_id",)):
        op.create_index(f"ix_received_request_{'_'.join(columns)}", "received_request", [*columns])


def _create_packages() -> None:
    op.create_table(
        "received_package",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("request", sa.BigInteger, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        *_texts("package_id", "state"),
        *_integers("downloads", "failures"),
        sa.Column("size", sa.BigInteger, nullable=False),
        *_integers("documents", "broken", "foreign"),
        sa.Column("samples", sa.JSON, nullable=False),
        *_texts("message"),
        sa.Column("due_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_received_package"),
        sa.ForeignKeyConstraint(
            ["request"], ["received_request.id"], name="fk_received_package_request_received_request"
        ),
        sa.UniqueConstraint("request", "package_id", name="uq_received_package_request_package_id"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_received_package_account_id_state_due_at", "received_package", ["account_id", "state", "due_at"]
    )
