"""The bound of Fecha of the stamps that stay in partitions by their seal (PostgreSQL).

The bound is two months after the present one: until months have tables of their own, no stamp reaches it. It is
validated in the next migration, which locks no stamp out.
"""

from __future__ import annotations

from alembic import op
from sqlalchemy import text

from timbra.database.engines import without_statement_timeout
from timbra.database.migrate import version_before
from timbra.database.timeouts import TIMEOUTS

revision = "0079"
down_revision = version_before(revision)
_NEWEST = (
    'SELECT substring(greatest(max(fecha COLLATE "C"), '
    "to_char(now() AT TIME ZONE 'America/Mexico_City', 'YYYY-MM')) FROM '^\\d{4}-\\d\\d') FROM stamp"
)


def upgrade() -> None:
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return
    with without_statement_timeout(connection):
        year, month = map(int, connection.execute(text(_NEWEST)).scalar_one().split("-"))
    bound = f"{year + (month + 1) // 12}-{(month + 1) % 12 + 1:02d}"
    op.execute(f"SET LOCAL lock_timeout = '{TIMEOUTS.lock}s'")
    op.execute(f"ALTER TABLE stamp ADD CONSTRAINT ck_stamp_fecha CHECK (fecha COLLATE \"C\" < '{bound}') NOT VALID")
