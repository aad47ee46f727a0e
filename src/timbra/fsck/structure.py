"""The structure of the database: pages and indexes of a SQLite file, rows that refer to rows, indexes of PostgreSQL."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import text

from timbra.core.clock import WallClock
from timbra.database.database import open_database
from timbra.database.engines import without_statement_timeout
from timbra.database.sqlite_check import file_problems
from timbra.database.tables.stamps import STAMP
from timbra.fsck.check import FsckRun
from timbra.fsck.findings import Cure, FsckFinding, shown
from timbra.fsck.row_digests import DigestJob
from timbra.stamps.partitions import OTHER

SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_master"
HAS_AMCHECK = text("SELECT count(*) FROM pg_extension WHERE extname = 'amcheck'")
INDEXES = text(
    "SELECT c.oid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
    "JOIN pg_am a ON a.oid = c.relam JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE a.amname = 'btree' AND c.relkind = 'i' AND n.nspname = current_schema() AND i.indisvalid ORDER BY 1"
)
PARTITIONS = text(
    "SELECT relid::regclass::text, coalesce(pg_get_partition_constraintdef(relid), 'true') "
    "FROM pg_partition_tree('stamp') WHERE isleaf"
)
DETACHED = text(
    "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' "
    "AND NOT relispartition AND relname ~ '^stamp_(other|\\d\\d|\\d{4}_\\d\\d)$'"
)
MOST_MISPLACED = 100
CHECK_INDEX = text("SELECT bt_index_check(to_regclass(:name), true)")


def check_structure(run: FsckRun) -> Iterator[FsckFinding]:
    """Let the database check itself."""
    if run.database.dialect == "sqlite":
        yield from _sqlite(run)
    else:
        yield from _postgresql(run)


def _sqlite(run: FsckRun) -> Iterator[FsckFinding]:
    file = Path(str(run.database.engine.url.database))
    for problem in file_problems(file, run.container.stopping.is_set, with_indexes=True):
        yield FsckFinding("database-damaged", file.name, "", stored=shown(problem), cure=Cure.REINDEX)
    with run.database.read() as connection:
        yield from _schema_findings({tuple(row) for row in connection.exec_driver_sql(SCHEMA)})
        for row in connection.exec_driver_sql("PRAGMA foreign_key_check"):
            yield FsckFinding("reference-missing", str(row[0]), shown(row[1]), stored=shown(row[2]), cure=Cure.RESTORE)


def _schema_findings(rows: set[tuple[Any, ...]]) -> Iterator[FsckFinding]:
    stored = {(row[0], row[1]): _normalized(row) for row in rows}
    for key in sorted(stored.keys() | expected_schema().keys(), key=str):
        found, expected = stored.get(key), expected_schema().get(key)
        # Triggers of digests are created by a job, after the migrations.
        if found != expected and not (found is None and key[0] == "trigger" and "_digest_" in key[1]):
            values = (shown(found or ""), shown(expected or ""))
            yield FsckFinding("schema-differs", "sqlite_master", shown(key[1]), "sql", *values, Cure.RESTORE)


@cache
def expected_schema() -> Mapping[tuple[str, str], str]:
    """Return what the migrations and the job of the digests create, by type and name."""
    with tempfile.TemporaryDirectory(prefix="timbra-fsck-") as folder:
        database = open_database(f"sqlite:///{folder}/timbra.db")
        try:
            DigestJob(database, WallClock()).run()
            with database.read() as connection:
                return {(row[0], row[1]): _normalized(row) for row in connection.exec_driver_sql(SCHEMA)}
        finally:
            database.close()


def _normalized(row: Sequence[Any]) -> str:
    """Return what a row of the schema says, however SQLite of some version writes it.

    Texts stay as they are; other white space than that of a migration is a flipped bit.
    """
    return re.sub(r"('[^']*')|[ \n\t\"`]+", lambda found: found[1] or " ", f"{row[2]} {row[3] or ''}").strip(" ")


def _misplaced(run: FsckRun) -> Iterator[FsckFinding]:
    """Name tables of stamps that are no partitions any more, and rows that are not in the one of their key."""
    with run.database.read() as connection:
        detached = set(connection.execute(DETACHED).scalars())
        partitions = connection.execute(PARTITIONS).all()
    if OTHER not in {name for name, _ in partitions}:
        detached.add(OTHER)
    for name in sorted(detached):
        yield FsckFinding("schema-differs", name, "", stored="", derived=STAMP.name, cure=Cure.RESTORE)
    for name, constraint in partitions:
        query = text(f"SELECT uuid FROM ONLY {name} WHERE NOT ({constraint}) LIMIT {MOST_MISPLACED}")  # noqa: S608
        with run.database.read() as connection, without_statement_timeout(connection):
            for uuid in connection.execute(query).scalars():
                yield FsckFinding("partition-wrong", name, shown(uuid))


def _postgresql(run: FsckRun) -> Iterator[FsckFinding]:
    """Compare every index with its table, where the extension amcheck is installed."""
    yield from _misplaced(run)
    with run.database.read() as connection:
        if not connection.execute(HAS_AMCHECK).scalar():
            return
        names = list(connection.execute(INDEXES).scalars())
    for name in names:
        try:
            with run.database.read() as connection, without_statement_timeout(connection):
                connection.execute(CHECK_INDEX, {"name": name})
        except Exception as error:
            cause = error.__cause__ or error
            if not str(getattr(getattr(cause, "orig", cause), "sqlstate", "")).startswith("XX"):
                raise
            yield FsckFinding("database-damaged", name, "", stored=shown(str(cause)), cure=Cure.REINDEX)
