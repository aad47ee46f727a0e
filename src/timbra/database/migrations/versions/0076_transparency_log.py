"""The transparency log: leaves and roots of tiles, append-only as the audit log, its checkpoints, and cosigned ones.

The consumer of the event log begins at the first event, so that stamps of before get their leaves too.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0076"
down_revision = version_before(revision)
_APPEND_ONLY = {"audit_leaf": ("position",), "audit_node": ("level", "position")}
_IS_LINK = sa.text("kind = 'audit'")


def upgrade() -> None:
    op.create_table(
        "audit_leaf",
        sa.Column("position", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("sha256", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("position", name="pk_audit_leaf"),
    )
    op.create_index("ix_audit_leaf_subject", "audit_leaf", ["subject"])
    op.create_index("ix_audit_leaf_link", "audit_leaf", ["sequence"], sqlite_where=_IS_LINK, postgresql_where=_IS_LINK)
    op.create_table(
        "audit_node",
        sa.Column("level", sa.SmallInteger, autoincrement=False, nullable=False),
        sa.Column("position", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("level", "position", name="pk_audit_node"),
    )
    op.create_table(
        "audit_checkpoint",
        sa.Column("size", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("size", name="pk_audit_checkpoint"),
    )
    op.create_table(
        "audit_witness",
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("root", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("origin", name="pk_audit_witness"),
    )
    op.execute("INSERT INTO event_consumer (name, position, gaps, turn) VALUES ('transparency', 0, '[]', 0)")
    if op.get_bind().dialect.name == "postgresql":
        _protect_postgresql()
    else:
        _protect_sqlite()


def _protect_postgresql() -> None:
    for table in _APPEND_ONLY:
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION reject_change()"
        )
        op.execute(f"REVOKE UPDATE, DELETE, TRUNCATE ON {table} FROM PUBLIC, CURRENT_USER")


def _protect_sqlite() -> None:
    for table, key in _APPEND_ONLY.items():
        reject = f"BEGIN SELECT RAISE(ABORT, 'the table {table} is append-only'); END"
        op.execute(f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} {reject}")
        op.execute(f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} {reject}")
        # INSERT OR REPLACE deletes a row without its trigger.
        same = " AND ".join(f"{name} = NEW.{name}" for name in key)
        exists = f"EXISTS (SELECT 1 FROM {table} WHERE {same})"  # noqa: S608
        op.execute(f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN {exists} {reject}")
