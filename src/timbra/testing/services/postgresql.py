"""A private PostgreSQL server that a drill may kill: `initdb` in a folder of its own, on a free port of 127.0.0.1."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from timbra.testing.services.processes import free_port, kill_tree

OWNERS = ("postgres", "nobody")
TIMEOUT_SECONDS = 30.0
LOG_CHARACTERS = 2000
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
    """One server. folder: its folder, which its unprivileged owner can enter."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.data = folder / "data"
        self._programs = programs()
        self._as_owner = as_owner(folder)
        self._server: subprocess.Popen[bytes] | None = None
        self.create()

    def create(self) -> None:
        """Create its data."""
        options = ["-A", "trust", "-U", "postgres", "--no-sync", "--wal-segsize=1", "--locale=C", "-E", "UTF8"]
        self.run("initdb", "-D", str(self.data), *options)

    def url(self, port: int | None = None) -> str:
        """Return the address of its database; port: of a proxy in front of it."""
        place = f"127.0.0.1:{port or self.port}"
        return f"postgresql+psycopg://postgres@{place}/postgres?sslmode=disable&gssencmode=disable"

    def start(self, **settings: str) -> None:
        """Start the server with more settings and wait until it accepts statements."""
        named = [option for name, value in (SETTINGS | settings).items() for option in ("-c", f"{name}={value}")]
        command = [str(self._programs / "postgres"), "-D", str(self.data), "-p", str(self.port), *named]
        command += ["-c", f"unix_socket_directories={self.folder}"]
        with (self.folder / "log").open("ab") as log:
            self._server = subprocess.Popen([*self._as_owner, *command], stdout=log, stderr=log)  # noqa: S603 - fixed arguments
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not self._answers():
            if self._server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((self.folder / "log").read_text(errors="replace")[-LOG_CHARACTERS:])
            time.sleep(0.05)

    @property
    def is_running(self) -> bool:
        return self._server is not None and self._server.poll() is None

    def ends_or_answers(self) -> bool:
        """Return whether the server has ended, or accepts statements."""
        return not self.is_running or self._answers()

    def kill(self) -> int:
        """SIGKILL to the server and all its processes, as a power cut; return how many those were."""
        if self._server is None:
            return 0
        return kill_tree(self._server) + 1

    def stop(self) -> None:
        """An end without leave: the cluster is of no further use."""
        if self.is_running:
            self.kill()

    def run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs as the owner of the data."""
        command = [*self._as_owner, str(self._programs / program), *arguments]
        subprocess.run(command, check=True, capture_output=True, cwd=self.folder, timeout=300)  # noqa: S603 - fixed arguments

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(host="127.0.0.1", port=self.port, user="postgres", connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


@contextmanager
def cluster(folder: Path | None = None, settings: Mapping[str, str] | None = None) -> Iterator[Cluster]:
    """Yield a running cluster in the given or a new folder, with more settings; stop it at the end of the block."""
    own = folder or Path(tempfile.mkdtemp(prefix="timbra-cluster-"))
    made = None
    try:
        made = Cluster(own)
        made.start(**(settings or {}))
        yield made
    finally:
        if made is not None:
            made.stop()
        if folder is None:
            shutil.rmtree(own)


def missing() -> str:
    """Return what a cluster needs and this machine does not have, in Spanish; empty when nothing is missing."""
    if not programs().is_dir():
        return "no están los programas del servidor PostgreSQL (initdb, postgres)"
    if not can_change_user():
        return "root no puede cambiar de usuario sin setpriv"
    return ""


def can_change_user() -> bool:
    """Return whether PostgreSQL, which does not run as root, can be started by this user."""
    return os.geteuid() != 0 or shutil.which("setpriv") is not None


def programs() -> Path:
    """Return the folder of initdb and postgres: that of the path, else Debian's newest, which is not on the path."""
    on_path = shutil.which("initdb")
    if on_path is not None:
        return Path(on_path).resolve().parent
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else Path("/nowhere")


def as_owner(folder: Path) -> list[str]:
    """Return the command prefix that runs PostgreSQL as an unprivileged user, and give that user the folder."""
    import pwd

    if os.geteuid() != 0:
        return []
    owner = next(pwd.getpwnam(name) for name in OWNERS if _exists(name))
    os.chown(folder, owner.pw_uid, owner.pw_gid)
    return ["setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups"]


def _exists(user: str) -> bool:
    import pwd

    with suppress(KeyError):
        return bool(pwd.getpwnam(user))
    return False
