"""The audit log, append-only by triggers, and on PostgreSQL by grants; it begins with the audit entries of events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from timbra.database.migrate import version_before

revision = "0018"
down_revision = version_before(revision)

_APPEND_ONLY = {"audit_event": "id", "audit_link": "sequence", "audit_head": "sequence"}
_COPIED = (
    "account.%",
    "token.%",
    "token-secret.%",
    "session.%",
    "sign-in-link.%",
    "certificate.%",
    "balance.%",
    "login.%",
    "signed-request.%",
)
_AUTO_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "audit_event",
        sa.Column("id", _AUTO_NUMBER, autoincrement=True, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("fiscal_at", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("actor_kind", sa.Text, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("actor_account_id", sa.BigInteger),
        sa.Column("account_id", sa.BigInteger),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("request_id", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_event"),
        sqlite_autoincrement=True,
    )
    for columns in (["account_id", "id"], ["kind", "id"], ["actor", "id"], ["at"]):
        op.create_index(f"ix_audit_event_{'_'.join(columns)}", "audit_event", columns)
    op.create_table(
        "audit_pending",
        sa.Column("event_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("event_id", name="pk_audit_pending"),
    )
    op.create_table(
        "audit_link",
        sa.Column("sequence", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("event_id", sa.BigInteger, nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("sequence", name="pk_audit_link"),
        sa.UniqueConstraint("event_id", name="uq_audit_link_event_id"),
    )
    op.create_table(
        "audit_head",
        sa.Column("sequence", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("key_id", sa.Text, nullable=False),
        sa.Column("signature", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("sequence", name="pk_audit_head"),
    )
    op.create_table(
        "audit_key",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("sealed_key", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_key"),
    )
    op.create_table(
        "audit_count",
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("started_at", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("account_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("request_id", sa.Text, nullable=False),
        sa.Column("count", sa.BigInteger, nullable=False),
        sa.Column("first_at", sa.BigInteger, nullable=False),
        sa.Column("last_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint(
            "kind", "started_at", "account_id", "actor", "subject", "address", "outcome", name="pk_audit_count"
        ),
    )
    _copy_events()
    if op.get_bind().dialect.name == "postgresql":
        _protect_postgresql()
    else:
        _protect_sqlite()


def _copy_events() -> None:
    conditions = " OR ".join(f"kind LIKE '{pattern}'" for pattern in _COPIED)
    op.execute(
        "INSERT INTO audit_event (at, fiscal_at, kind, actor_kind, actor, account_id, subject, address, request_id, "  # noqa: S608
        "body) SELECT at, fiscal_at, kind, 'server', '', account_id, subject, '', request_id, CAST(body AS TEXT) "
        f"FROM event WHERE {conditions} ORDER BY id"
    )
    op.execute("INSERT INTO audit_pending (event_id) SELECT id FROM audit_event")


def _protect_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION reject_change() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'the table % is append-only', TG_TABLE_NAME; END $$"
    )
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
        exists = f"EXISTS (SELECT 1 FROM {table} WHERE {key} = NEW.{key})"  # noqa: S608
        op.execute(f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN {exists} {reject}")
