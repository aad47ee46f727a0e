"""The bound of Fecha is valid for all stamps, which are stamped meanwhile (PostgreSQL)."""

from __future__ import annotations

from alembic import op

from timbra.database.engines import without_statement_timeout
from timbra.database.migrate import version_before

revision = "0080"
down_revision = version_before(revision)


def upgrade() -> None:
    connection = op.get_bind()
    if connection.dialect.name == "postgresql":
        with without_statement_timeout(connection):
            op.execute("ALTER TABLE stamp VALIDATE CONSTRAINT ck_stamp_fecha")
