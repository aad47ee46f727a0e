"""A PgBouncer of a test, in front of one PostgreSQL server."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.deployed_files import replaced_in
from tests.support.postgresql_cluster import TIMEOUT_SECONDS, as_owner, free_port
from tests.support.requirements import need

PROGRAM = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
FILE = "pgbouncer/pgbouncer.ini"


class PgBouncer:
    """One pooler. port: where it listens."""

    def __init__(self, folder: Path, server_port: int, mode: str, login: str) -> None:
        self.port = free_port()
        self._folder = folder
        self._as_owner = as_owner(folder)
        self._process: subprocess.Popen[bytes] | None = None
        self._mode = mode
        self._login = login
        self._configure(server_port)

    def start(self) -> None:
        """Start the pooler and wait until it listens."""
        log = (self._folder / "log").open("ab")
        command = [*self._as_owner, str(PROGRAM), "-q", str(self._folder / "pgbouncer.ini")]
        self._process = subprocess.Popen(command, stdout=log, stderr=log)
        log.close()
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not self._listens():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((self._folder / "log").read_text(errors="replace")[-2000:])
            time.sleep(0.05)

    def point_to(self, server_port: int) -> None:
        """Use another server from now on: the step of a failover that is the operator's."""
        self._configure(server_port)
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGHUP)

    def kill(self) -> None:
        """SIGKILL: all connections break."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(TIMEOUT_SECONDS)

    def _configure(self, server_port: int) -> None:
        replaced = {
            "timbra = host=db-a.internal port=5432": f"* = host=127.0.0.1 port={server_port} {self._login}",
            "listen_port = 6432": f"listen_port = {self.port}",
            "auth_type = scram-sha-256\nauth_file = /etc/pgbouncer/userlist.txt": "auth_type = any",
            "pool_mode = session": f"pool_mode = {self._mode}",
        }
        (self._folder / "pgbouncer.ini").write_text(replaced_in(FILE, replaced))

    def _listens(self) -> bool:
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        return False


def need_pgbouncer() -> None:
    """Skip the test without PgBouncer, or fail it where it is required."""
    need("pgbouncer", PROGRAM, "the program is not installed")


@contextmanager
def pgbouncer(server_port: int, mode: str = "session", login: str = "user=postgres") -> Iterator[PgBouncer]:
    """Yield a running pooler. login: with which it connects to the server."""
    folder = Path(tempfile.mkdtemp(prefix="timbra-pgbouncer-"))
    made = PgBouncer(folder, server_port, mode, login)
    try:
        made.start()
        yield made
    finally:
        made.kill()
        shutil.rmtree(folder)
