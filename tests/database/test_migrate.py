"""Migrations create exactly the schema of METADATA."""

from __future__ import annotations

import importlib
import pkgutil
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Connection, create_engine, text
from tests.support.store_records import MovableClock, claim

import timbra.database.tables as tables
from timbra.core.errors import ServiceError
from timbra.database.codec import encode
from timbra.database.database import Database, open_database
from timbra.database.feature_tables import feature_tables
from timbra.database.migrate import MIGRATIONS, migrate, newest_version, stored_version
from timbra.database.tables import METADATA
from timbra.stamps.partitions import StampMonths
from timbra.stamps.port import AlreadyStamped, Stored
from timbra.stamps.repository import DatabaseStamps
from timbra.stamps.row_mapping import COLUMNS, to_row

PARTITION = re.compile(r"stamp_(other|by_seal|\d\d|\d{4}_\d\d)")


def is_compared(_object: object, name: str | None, kind: str, *_rest: object) -> bool:
    return not (kind == "table" and PARTITION.fullmatch(name or ""))


def upgrade(connection: Connection, version: str) -> None:
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS))
    command.upgrade(config, version)


def dbapi(connection: Connection) -> Any:
    return connection.connection.dbapi_connection


def test_migrate_creates_exactly_the_metadata(empty_address: str) -> None:
    for module in pkgutil.iter_modules(tables.__path__, "timbra.database.tables."):
        importlib.import_module(module.name)
    feature_tables()
    database = open_database(empty_address)
    options = {"compare_type": True, "compare_server_default": True, "include_object": is_compared}
    with database.read() as connection:
        differences = compare_metadata(MigrationContext.configure(connection, opts=options), METADATA)
    database.close()
    assert differences == []


def test_stored_version_is_the_newest_after_a_migration(database: Database) -> None:
    with database.read() as connection:
        assert stored_version(connection) == newest_version()


def test_migration_has_the_number_after_the_newest() -> None:
    """A database that has a later migration never runs one of the numbers that were left out before 0060."""
    numbers = sorted(int(path.name[:4]) for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))
    assert sum(number <= 60 for number in numbers) == 35
    assert numbers[-1] - 60 == sum(number > 60 for number in numbers)


def test_open_database_commits_each_migration_of_postgresql(
    empty_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other nodes stamp meanwhile: the locks of one migration must not be kept while another one waits for a table."""
    if empty_address.startswith("sqlite"):
        Path(empty_address.removeprefix("sqlite:///")).parent.mkdir()
    engine = create_engine(empty_address)
    with engine.begin() as connection:
        upgrade(connection, "0057")
    committed = []

    def committed_before(connection: Connection) -> bool:
        with engine.connect() as other:
            committed.append(stored_version(other))
        return migrate(connection)

    monkeypatch.setattr("timbra.database.database.migrate", committed_before)
    open_database(empty_address).close()
    with engine.connect() as other:
        assert stored_version(other) == newest_version()
    engine.dispose()
    assert committed[:3] == (["0057"] if empty_address.startswith("sqlite") else ["0057", "0058", "0059"])


def test_new_database_of_sqlite_is_what_migrations_make(tmp_path: Path) -> None:
    """Tests copy the result of the migrations; the copy has nothing more and nothing less."""
    made = open_database(f"sqlite:///{tmp_path / 'copied.db'}")
    with made.read() as connection:
        copied = [*dbapi(connection).iterdump()]
    made.close()
    engine = create_engine(f"sqlite:///{tmp_path / 'migrated.db'}")
    with engine.begin() as connection:
        upgrade(connection, "head")
        migrated = [*dbapi(connection).iterdump()]
    engine.dispose()
    assert copied == migrated


def test_open_database_rejects_a_newer_schema(address: str, database: Database) -> None:
    with database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(ServiceError, match="más nueva"):
        open_database(address)


def test_stamp_table_is_partitioned_by_month_on_postgresql(postgresql_address: str) -> None:
    database = open_database(postgresql_address)
    query = "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'stamp'::regclass"
    sequence = "SELECT count(*) FROM pg_sequences WHERE sequencename = 'stamp_cursor'"
    with database.read() as connection:
        names = connection.execute(text(query)).scalars().all()
        assert "stamp_other" in names
        assert sum(bool(re.fullmatch(r"stamp_\d{4}_\d\d", name)) for name in names) == len(names) - 1 == 3
        assert connection.execute(text("SELECT pg_get_partkeydef('stamp'::regclass)")).scalar() == (
            'RANGE (fecha COLLATE "C")'
        )
        assert connection.execute(text(sequence)).scalar_one() == 1
    database.close()


def test_stamp_table_has_the_seal_hash_as_its_only_unique_key(database: Database) -> None:
    """On PostgreSQL that of each partition: equal seals sign the same Fecha, so that they are in one of them."""
    if database.dialect == "postgresql":
        query = (
            "SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_partition_tree('stamp') ON relid = indrelid "
            "WHERE indisunique"
        )
    else:
        query = "SELECT name FROM pragma_index_list('stamp') WHERE \"unique\""
    with database.read() as connection:
        found = connection.execute(text(query)).scalars().all()
    assert found
    assert all(each.endswith("(seal_hash)") or each.startswith("sqlite_autoindex_stamp") for each in found)
    assert len(found) == 1 or database.dialect == "postgresql"


def test_migrate_keeps_the_stamps_of_before_in_partitions_by_their_seal(empty_address: str) -> None:
    """Nothing is copied; each stamp is found, a repeated one is known, and a new month gets a table."""
    if empty_address.startswith("sqlite"):
        pytest.skip("SQLite has no partitions")
    engine = create_engine(empty_address)
    with engine.begin() as connection:
        upgrade(connection, "0078")
    now = datetime.now(UTC)
    # The last one is of the second month after the present one, which is the bound of the partitions by the seal.
    instants = (now - timedelta(days=400), now - timedelta(days=40), now, now.replace(day=1) + timedelta(days=70))
    dates = [f"{instant:%Y-%m-%dT%H:%M:%S}" for instant in instants]
    claims = [claim(number) for number in range(4)]
    claims = [replace(one, record=replace(one.record, fecha=at)) for one, at in zip(claims, dates, strict=True)]
    with engine.begin() as connection:
        for one in claims[:3]:
            values = dict(zip(COLUMNS, to_row(one.record, encode(one.record.cfdi)), strict=True))
            marks = ", ".join(f":{name}" for name in values)
            statement = f"INSERT INTO stamp (cursor, {', '.join(values)}) VALUES (nextval('stamp_cursor'), {marks})"
            connection.execute(text(statement), values)
    engine.dispose()
    database = open_database(empty_address)
    stamps = DatabaseStamps(database, MovableClock(now))
    months = StampMonths(database, MovableClock(now))
    created = months.create()
    assert f"stamp_{now:%Y_%m}" not in created
    again = [replace(one, record=replace(one.record, uuid=f"again-{place}")) for place, one in enumerate(claims)]
    outcomes = stamps.claim(again)
    assert outcomes == [*(AlreadyStamped(one.record) for one in claims[:3]), Stored(again[3].record)]
    with database.read() as connection:
        query = "SELECT tableoid::regclass::text FROM stamp ORDER BY cursor"
        *old, new = connection.execute(text(query)).scalars()
    assert all(re.fullmatch(r"stamp_\d\d", name) for name in old)
    assert new == f"stamp_{dates[3][:7].replace('-', '_')}"
    stamps.close()
    database.close()


def test_migrate_sets_the_year_of_sandbox_documents(empty_address: str) -> None:
    """The fourth migration keeps the ledger of the third."""
    if empty_address.startswith("sqlite"):
        Path(empty_address.removeprefix("sqlite:///")).parent.mkdir()
    engine = create_engine(empty_address)
    row = "'u{}', '4.0', 'I', 'a', 'b', '1', '1', 's', {}, 'Vigente', '', 'imported'"
    # The last second of 2025 and the first of 2026 in central Mexico.
    instants = (1767247199000000, 1767247200000000)
    with engine.begin() as connection:
        upgrade(connection, "0003")
        for place, at in enumerate(instants):
            values = row.format(place, at)
            connection.execute(text(f"INSERT INTO sandbox_document VALUES ({values})"))
    engine.dispose()
    database = open_database(empty_address)
    with database.read() as connection:
        years = connection.execute(text("SELECT uuid, year, fuel FROM sandbox_document ORDER BY uuid")).all()
    database.close()
    assert [(uuid, year, bool(fuel)) for uuid, year, fuel in years] == [("u0", 2025, False), ("u1", 2026, False)]
