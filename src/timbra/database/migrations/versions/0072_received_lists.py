"""Lists of received documents: what only their XML has, and indexes of the lists and of the changes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0072"
down_revision = version_before(revision)
_IS_MARKED = sa.text("cancellation IS NOT NULL OR article_69b IS NOT NULL OR other_sha256 IS NOT NULL")
_IS_RECEIVED = sa.text("kind LIKE 'received.%'")


def upgrade() -> None:
    for name in ("serie", "folio", "moneda"):
        op.add_column("received_document", sa.Column(name, sa.Text, nullable=True))
    columns = ["account_id", "fecha"]
    op.create_index("ix_received_document_account_id_fecha", "received_document", columns)
    op.create_index(
        "ix_received_document_marked",
        "received_document",
        columns,
        sqlite_where=_IS_MARKED,
        postgresql_where=_IS_MARKED,
    )
    op.create_index(
        "ix_event_received", "event", ["account_id", "id"], sqlite_where=_IS_RECEIVED, postgresql_where=_IS_RECEIVED
    )
