"""A temporary PostgreSQL cluster that a test may kill, fill or disconnect: `initdb` in a temporary folder."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import psycopg
from tests.support.requirements import need

OWNERS = ("postgres", "nobody")
TIMEOUT_SECONDS = 30.0
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "60",
    "shared_buffers": "16MB",
    # 1 MiB segments and a small bound keep a cluster within a small disk.
    "max_wal_size": "16MB",
    "min_wal_size": "2MB",
    "logging_collector": "off",
}


class Cluster:
    """One server. folder: its folder, which its unprivileged owner can enter. primary: the server that it follows."""

    def __init__(self, folder: Path, primary: Cluster | None = None) -> None:
        self.folder = folder
        self.port = free_port()
        self.data = folder / "data"
        self._programs = _programs()
        self._as_owner = as_owner(folder)
        self._server: subprocess.Popen[bytes] | None = None
        if primary is not None:
            self.follow(primary)
            return
        options = ["-A", "trust", "-U", "postgres", "--no-sync", "--wal-segsize=1", "--locale=C", "-E", "UTF8"]
        self._run("initdb", "-D", str(self.data), *options)

    def url(self, port: int | None = None) -> str:
        """Return the address of its database; port: of a proxy in front of it."""
        place = f"127.0.0.1:{port or self.port}"
        return f"postgresql+psycopg://postgres@{place}/postgres?sslmode=disable&gssencmode=disable"

    def follow(self, primary: Cluster) -> None:
        """Copy a running server, and follow it as its standby from the next start on."""
        shutil.rmtree(self.data, ignore_errors=True)
        place = f"host=127.0.0.1 port={primary.port} user=postgres application_name=standby"
        self._run("pg_basebackup", "-D", str(self.data), "-d", place, "-R", "-X", "stream", "-c", "fast", "--no-sync")

    def promote(self) -> None:
        """Make a standby the primary, and wait until it accepts writes."""
        self._run("pg_ctl", "promote", "-w", "-D", str(self.data))

    def execute(self, *statements: str) -> list[tuple[object, ...]]:
        """Run statements outside of transactions and return the rows of the last one."""
        with psycopg.connect(self.conninfo, autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    @property
    def conninfo(self) -> str:
        return f"host=127.0.0.1 port={self.port} user=postgres connect_timeout=5"

    def start(self, **settings: str) -> None:
        """Start the server with more settings and wait until it accepts statements."""
        named = [option for name, value in (SETTINGS | settings).items() for option in ("-c", f"{name}={value}")]
        command = [str(self._programs / "postgres"), "-D", str(self.data), "-p", str(self.port), *named]
        command += ["-c", f"unix_socket_directories={self.folder}"]
        log = (self.folder / "log").open("ab")
        self._server = subprocess.Popen([*self._as_owner, *command], stdout=log, stderr=log)
        log.close()
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not self._answers():
            if self._server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((self.folder / "log").read_text(errors="replace")[-2000:])
            time.sleep(0.05)

    @property
    def is_running(self) -> bool:
        return self._server is not None and self._server.poll() is None

    def kill(self) -> int:
        """SIGKILL to the server and all its processes, as a power cut; how many those were."""
        assert self._server is not None
        doomed = [self._server.pid]
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            os.kill(self._server.pid, signal.SIGSTOP)
            doomed += [child.pid for child in psutil.Process(self._server.pid).children(recursive=True)]
        for pid in doomed:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._server.wait(TIMEOUT_SECONDS)
        return len(doomed)

    def stop(self) -> None:
        """An end without leave: the cluster is of no further use."""
        if self.is_running:
            self.kill()

    def _answers(self) -> bool:
        try:
            psycopg.connect(host="127.0.0.1", port=self.port, user="postgres", connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def _run(self, program: str, *arguments: str) -> None:
        command = [*self._as_owner, str(self._programs / program), *arguments]
        subprocess.run(command, check=True, capture_output=True, cwd=self.folder, timeout=300)


def need_cluster() -> None:
    """Skip the test when no cluster can be created, or fail it where `initdb` is required."""
    need("initdb", _programs().is_dir(), "PostgreSQL's server programs are not installed")
    need("initdb", _can_change_user(), "root cannot change its user without setpriv")


def can_start() -> bool:
    """Whether a cluster can be created here."""
    return _programs().is_dir() and _can_change_user()


def _can_change_user() -> bool:
    return os.geteuid() != 0 or shutil.which("setpriv") is not None


@contextmanager
def cluster(folder: Path | None = None, settings: Mapping[str, str] | None = None) -> Iterator[Cluster]:
    """Yield a running cluster in the given or a new folder, with more settings; stop it at the end of the block."""
    own = folder or Path(tempfile.mkdtemp(prefix="timbra-cluster-"))
    made = Cluster(own)
    try:
        made.start(**(settings or {}))
        yield made
    finally:
        made.stop()
        if folder is None:
            shutil.rmtree(own)


def _programs() -> Path:
    """Return the folder of initdb and postgres, which Debian does not put on the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).resolve().parent if on_path else Path("/nowhere")


def as_owner(folder: Path) -> list[str]:
    """Return the command prefix that runs PostgreSQL as an unprivileged user, and give that user the folder."""
    if os.geteuid() != 0:
        return []
    owner = next(pwd.getpwnam(name) for name in OWNERS if _exists(name))
    os.chown(folder, owner.pw_uid, owner.pw_gid)
    return ["setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups"]


def _exists(user: str) -> bool:
    with suppress(KeyError):
        return bool(pwd.getpwnam(user))
    return False


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
