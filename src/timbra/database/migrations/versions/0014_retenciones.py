"""An index of the stamps of retenciones, which are few among those of CFDI."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0012"

_IS_RETENCION = sa.text("kind = 'R'")


def upgrade() -> None:
    op.create_index(
        "ix_stamp_account_id_retenciones",
        "stamp",
        ["account_id", "stamped_at", "cursor"],
        sqlite_where=_IS_RETENCION,
        postgresql_where=_IS_RETENCION,
    )
