"""Migrations and METADATA are two descriptions of one schema."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

import timbra.store.tables as tables
from timbra.errors import ServiceError
from timbra.store.database import Database, open_database
from timbra.store.migrate import newest_version, stored_version
from timbra.store.tables import METADATA
from timbra.store.tables.stamps import STAMP_PARTITIONS

PARTITION = re.compile(r"stamp_\d\d")


def is_compared(_object: object, name: str | None, kind: str, *_rest: object) -> bool:
    return not (kind == "table" and PARTITION.fullmatch(name or ""))


def test_migrating_an_empty_database_gives_exactly_the_metadata(empty_address: str) -> None:
    for module in pkgutil.iter_modules(tables.__path__, "timbra.store.tables."):
        importlib.import_module(module.name)
    database = open_database(empty_address)
    options = {"compare_type": True, "compare_server_default": True, "include_object": is_compared}
    with database.read() as connection:
        differences = compare_metadata(MigrationContext.configure(connection, opts=options), METADATA)
    database.close()
    assert differences == []


def test_a_migrated_database_is_at_the_newest_version(database: Database) -> None:
    with database.read() as connection:
        assert stored_version(connection) == newest_version()


def test_a_database_of_a_newer_program_is_refused(address: str, database: Database) -> None:
    with database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(ServiceError, match="más nueva"):
        open_database(address)


def test_postgresql_spreads_stamps_by_their_seal(postgresql_address: str) -> None:
    database = open_database(postgresql_address)
    query = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'stamp'::regclass"
    sequence = "SELECT count(*) FROM pg_sequences WHERE sequencename = 'stamp_cursor'"
    with database.read() as connection:
        assert connection.execute(text(query)).scalar_one() == STAMP_PARTITIONS
        assert connection.execute(text(sequence)).scalar_one() == 1
    database.close()


def test_the_seal_hash_is_the_only_unique_key_of_a_stamp(database: Database) -> None:
    if database.dialect == "postgresql":
        query = "SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = 'stamp'::regclass AND indisunique"
    else:
        query = "SELECT name FROM pragma_index_list('stamp') WHERE \"unique\""
    with database.read() as connection:
        [unique] = connection.execute(text(query)).scalars()
    assert "seal_hash" in unique or unique.startswith("sqlite_autoindex_stamp")
