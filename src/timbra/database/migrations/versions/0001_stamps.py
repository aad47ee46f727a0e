"""The first schema: the database's own tables, stamps, customids, outbox, events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.schema import CreateSequence

revision = "0001"
down_revision = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
PARTITIONS = 16
TEXTS = (
    *("version", "kind", "serie", "folio", "fecha", "issuer_rfc", "receiver_rfc", "total"),
    *("issuer_certificate", "provider_certificate", "rule_set", "data_version", "lists_version"),
)


def upgrade() -> None:
    _core()
    _stamps()
    _customids()
    _outbox()
    _events()


def _core() -> None:
    op.create_table(
        "identity",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_identity"),
    )
    op.create_table(
        "revision",
        sa.Column("area", sa.Text, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("area", name="pk_revision"),
    )
    op.create_table(
        "lease",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("holder", sa.Text, nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_lease"),
    )


def _stamps() -> None:
    op.create_table(
        "stamp",
        sa.Column("seal_hash", sa.LargeBinary, nullable=False),
        sa.Column("cursor", sa.BigInteger, nullable=False),
        sa.Column("uuid", sa.Text, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("environment", sa.Text, nullable=False),
        sa.Column("request_id", sa.Text, nullable=False),
        sa.Column("stamped_at", sa.BigInteger, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in TEXTS),
        sa.Column("cfdi", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("seal_hash", name="pk_stamp"),
        postgresql_partition_by="HASH (seal_hash)",
    )
    if op.get_bind().dialect.name == "postgresql":
        _partitions()
    op.create_index("ix_stamp_uuid", "stamp", ["uuid"])
    op.create_index("ix_stamp_cursor", "stamp", ["cursor"])
    op.create_index("ix_stamp_account_id_cursor", "stamp", ["account_id", "cursor"])


def _partitions() -> None:
    """The documents are compressed already and small: kept in the row, not cut up beside it."""
    op.execute(CreateSequence(sa.Sequence("stamp_cursor")))
    op.execute("ALTER TABLE stamp ALTER COLUMN cfdi SET STORAGE EXTERNAL")
    for number in range(PARTITIONS):
        op.execute(
            f"CREATE TABLE stamp_{number:02d} PARTITION OF stamp "
            f"FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {number}) WITH (toast_tuple_target = 8160)"
        )


def _customids() -> None:
    op.create_table(
        "custom_id",
        sa.Column("account_id", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("id_hash", sa.LargeBinary, nullable=False),
        sa.Column("seal_hash", sa.LargeBinary, nullable=False),
        sa.Column("stamped_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("account_id", "id_hash", name="pk_custom_id"),
        sqlite_with_rowid=False,
    )


def _outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("due_at", sa.BigInteger, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("kind", "subject", name="pk_outbox"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_outbox_due_at", "outbox", ["due_at"])


def _events() -> None:
    op.create_table(
        "event",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("fiscal_at", sa.BigInteger, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("request_id", sa.Text, nullable=False),
        sa.Column("body", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_event"),
    )
