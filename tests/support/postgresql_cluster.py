"""Temporary PostgreSQL clusters of the tests: those of drills, and a standby that follows another cluster."""

from __future__ import annotations

import shutil
from pathlib import Path

import psycopg
from tests.support.requirements import need

from timbra.testing.services.postgresql import Cluster as PrivateCluster
from timbra.testing.services.postgresql import as_owner, can_change_user, cluster, missing, programs
from timbra.testing.services.processes import free_port

__all__ = ["TIMEOUT_SECONDS", "Cluster", "as_owner", "can_start", "cluster", "execute", "free_port", "need_cluster"]

TIMEOUT_SECONDS = 30.0


class Cluster(PrivateCluster):
    """A server that follows another one, or that others follow. primary: the server that it follows."""

    def __init__(self, folder: Path, primary: PrivateCluster | None = None) -> None:
        self._primary = primary
        super().__init__(folder)

    def create(self) -> None:
        if self._primary is None:
            super().create()
        else:
            self.follow(self._primary)

    def follow(self, primary: PrivateCluster) -> None:
        """Copy a running server, and follow it as its standby from the next start on."""
        shutil.rmtree(self.data, ignore_errors=True)
        place = f"host=127.0.0.1 port={primary.port} user=postgres application_name=standby"
        self.run("pg_basebackup", "-D", str(self.data), "-d", place, "-R", "-X", "stream", "-c", "fast", "--no-sync")

    def promote(self) -> None:
        """Make a standby the primary, and wait until it accepts writes."""
        self.run("pg_ctl", "promote", "-w", "-D", str(self.data))


def execute(server: PrivateCluster, *statements: str) -> list[tuple[object, ...]]:
    """Run statements outside of transactions and return the rows of the last one."""
    conninfo = f"host=127.0.0.1 port={server.port} user=postgres connect_timeout=5"
    with psycopg.connect(conninfo, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def need_cluster() -> None:
    """Skip the test when no cluster can be created, or fail it where `initdb` is required."""
    need("initdb", programs().is_dir(), "PostgreSQL's server programs are not installed")
    need("initdb", can_change_user(), "root cannot change its user without setpriv")


def can_start() -> bool:
    """Whether a cluster can be created here."""
    return not missing()
