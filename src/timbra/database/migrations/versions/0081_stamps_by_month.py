"""Stamps by the month of Fecha (PostgreSQL): one table for a month, which is deleted as a whole.

The partitions by the seal stay as the partition of all months until the bound of Fecha. Nothing is copied. A database
without stamps gets the tables of this month and the next two; later ones are created by a job. `stamp_other` has the
stamps of months without a table.
"""

from __future__ import annotations

from itertools import pairwise

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0081"
down_revision = version_before(revision)
_BOUND = sa.text(
    "SELECT substring(pg_get_constraintdef(oid) FROM '\\d{4}-\\d\\d') FROM pg_constraint "
    "WHERE conrelid = 'stamp'::regclass AND conname = 'ck_stamp_fecha'"
)
_MONTHS = sa.text(
    "SELECT to_char((now() AT TIME ZONE 'America/Mexico_City') + later * interval '1 month', 'YYYY-MM') "
    "FROM generate_series(0, 3) AS later"
)
_INDEXES = {
    "ix_stamp_uuid": "uuid",
    "ix_stamp_cursor": "cursor",
    "ix_stamp_account_id_cursor": "account_id, cursor",
    "ix_stamp_account_id_stamped_at_cursor": "account_id, stamped_at, cursor",
}


def upgrade() -> None:
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return
    op.execute("LOCK TABLE stamp IN ACCESS EXCLUSIVE MODE")
    has_stamps = connection.execute(sa.text("SELECT EXISTS (SELECT FROM stamp)")).scalar()
    bound = connection.execute(_BOUND).scalar_one()
    # Created again by the job of digests for the new table.
    for operation in ("update", "delete"):
        op.execute(f"DROP TRIGGER IF EXISTS stamp_digest_{operation}_1 ON stamp")
    op.execute("ALTER TABLE stamp RENAME TO stamp_by_seal")
    for name in _INDEXES:
        op.execute(f"ALTER INDEX {name} RENAME TO {name.replace('stamp', 'stamp_by_seal')}")
    op.execute(
        "CREATE TABLE stamp (LIKE stamp_by_seal INCLUDING DEFAULTS INCLUDING STORAGE) "
        'PARTITION BY RANGE (fecha COLLATE "C")'
    )
    for name, columns in _INDEXES.items():
        op.execute(f"CREATE INDEX {name} ON stamp ({columns})")
    if has_stamps:
        op.execute(f"ALTER TABLE stamp ATTACH PARTITION stamp_by_seal FOR VALUES FROM (MINVALUE) TO ('{bound}')")
        op.execute("ALTER TABLE stamp_by_seal DROP CONSTRAINT ck_stamp_fecha")
    else:
        op.execute("DROP TABLE stamp_by_seal")
    op.execute(
        "CREATE TABLE stamp_other PARTITION OF stamp (CONSTRAINT pk_stamp_other PRIMARY KEY (seal_hash)) DEFAULT "
        "WITH (toast_tuple_target = 8160)"
    )
    if not has_stamps:
        months = connection.execute(_MONTHS).scalars().all()
        for since, until in pairwise(months):
            name = f"stamp_{since.replace('-', '_')}"
            op.execute(
                f"CREATE TABLE {name} PARTITION OF stamp (CONSTRAINT pk_{name} PRIMARY KEY (seal_hash)) "
                f"FOR VALUES FROM ('{since}') TO ('{until}') WITH (toast_tuple_target = 8160)"
            )
