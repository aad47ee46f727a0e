"""Point-in-time recovery of PostgreSQL, as docs/operations.md describes it: every stamp up to the moment is there."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.support.effort import LONG
from tests.support.postgresql_cluster import Cluster, cluster, execute, need_cluster
from tests.support.store_records import MovableClock, claim
from tests.support.waiting import wait_until

from timbra.backup.consistency import check_database
from timbra.database.database import Database, open_database
from timbra.stamps.repository import DatabaseStamps
from timbra.testing.services.postgresql import Cluster as PrivateCluster

BEFORE, UNTIL, AFTER = range(10), range(10, 30), range(30, 40)


@pytest.fixture
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder for the write-ahead log that the owner of the server can write."""
    folder = Path("/tmp") / f"timbra-wal-{tmp_path_factory.mktemp('wal').name}"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


def stamp(database: Database, numbers: range) -> None:
    stamps = DatabaseStamps(database, MovableClock())
    stamps.claim([claim(number) for number in numbers])
    stamps.close()


def folios(database: Database) -> set[int]:
    stamps = DatabaseStamps(database, MovableClock())
    found = {int(record.folio) for record in stamps.page(None, limit=500).records}
    stamps.close()
    return found


@pytest.mark.skipif(not LONG, reason="TIMBRA_TEST_LONG is not 1")
def test_recovery_returns_every_stamp_up_to_the_moment(archive: Path) -> None:
    need_cluster()
    with cluster() as primary:
        primary.stop()
        command = f"test ! -f {archive}/%f && cp %p {archive}/%f"
        primary.start(archive_mode="on", archive_command=command, archive_timeout="60")
        database = open_database(primary.url())
        stamp(database, BEFORE)
        restored = Cluster(_sibling(primary), primary)
        (restored.data / "standby.signal").unlink()
        stamp(database, UNTIL)
        [[moment]] = execute(primary, "SELECT clock_timestamp()")
        stamp(database, AFTER)
        with database.write() as connection:
            connection.execute(text("DELETE FROM stamp"))
        assert folios(database) == set()
        [[segment]] = execute(primary, "SELECT pg_walfile_name(pg_switch_wal())")
        wait_until(lambda: (archive / str(segment)).exists())
        database.close()
        primary.stop()
        try:
            shutil.copyfile(restored.data / "PG_VERSION", restored.data / "recovery.signal")
            _own(restored.data / "recovery.signal", restored.data)
            restored.start(
                restore_command=f"cp {archive}/%f %p",
                recovery_target_time=str(moment),
                recovery_target_action="promote",
            )
            wait_until(lambda: execute(restored, "SELECT pg_is_in_recovery()") == [(False,)])
            recovered = open_database(restored.url())
            assert folios(recovered) == {*BEFORE, *UNTIL}
            report = check_database(recovered)
            assert (report.counts["stamps"], report.problems) == (30, ())
            stamp(recovered, AFTER)
            assert folios(recovered) == {*BEFORE, *UNTIL, *AFTER}
            recovered.close()
        finally:
            restored.stop()
            shutil.rmtree(restored.folder)


def _sibling(other: PrivateCluster) -> Path:
    folder = other.folder.with_name(f"{other.folder.name}-restored")
    folder.mkdir()
    return folder


def _own(file: Path, like: Path) -> None:
    shutil.chown(file, like.stat().st_uid, like.stat().st_gid)
