"""Documents that an account received or issued, with their XML."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0063"
down_revision = version_before(revision)


def upgrade() -> None:
    op.create_table(
        "received_document",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("uuid", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("issuer_rfc", sa.Text, nullable=False),
        sa.Column("issuer_name", sa.Text, nullable=False),
        sa.Column("receiver_rfc", sa.Text, nullable=False),
        sa.Column("receiver_name", sa.Text, nullable=False),
        sa.Column("provider_rfc", sa.Text, nullable=False),
        sa.Column("fecha", sa.Text, nullable=False),
        sa.Column("fecha_timbrado", sa.Text, nullable=False),
        sa.Column("total", sa.Text, nullable=True),
        sa.Column("tipo_de_comprobante", sa.Text, nullable=True),
        sa.Column("status", sa.Text, nullable=True),
        sa.Column("cancelled_at", sa.Text, nullable=True),
        sa.Column("cancellation", sa.Text, nullable=True),
        sa.Column("metadata_at", sa.BigInteger, nullable=True),
        sa.Column("status_at", sa.BigInteger, nullable=True),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("has_xml", sa.Boolean, nullable=False),
        sa.Column("sha256", sa.Text, nullable=True),
        sa.Column("other_sha256", sa.Text, nullable=True),
        sa.Column("other_source", sa.Text, nullable=True),
        sa.Column("result", sa.Text, nullable=True),
        sa.Column("errors", sa.Integer, nullable=True),
        sa.Column("warnings", sa.Integer, nullable=True),
        sa.Column("article_69b", sa.Text, nullable=True),
        sa.Column("xml_requests", sa.Integer, nullable=False),
        sa.Column("stored_at", sa.BigInteger, nullable=False),
        sa.Column("changed_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_received_document"),
        sa.UniqueConstraint("account_id", "uuid", name="uq_received_document_account_id_uuid"),
        sqlite_autoincrement=True,
    )
    for side in ("receiver_rfc", "issuer_rfc"):
        op.create_index(
            f"ix_received_document_account_id_{side}_fecha", "received_document", ["account_id", side, "fecha"]
        )
    op.create_table(
        "received_xml",
        sa.Column("document_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("xml", sa.LargeBinary, nullable=False),
        sa.Column("findings", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("document_id", name="pk_received_xml"),
        sa.ForeignKeyConstraint(
            ["document_id"], ["received_document.id"], name="fk_received_xml_document_id_received_document"
        ),
    )
