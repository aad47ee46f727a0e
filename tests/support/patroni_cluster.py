"""Three machines with PostgreSQL, Patroni and etcd, by the files of `deploy/`; they differ by their ports only."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import psutil  # type: ignore[import-untyped]
import psycopg
from psycopg import sql
from tests.support.deployed_files import replaced_in
from tests.support.postgresql_cluster import as_owner, free_port, need_cluster
from tests.support.requirements import need

from timbra.testing.services.postgresql import programs
from timbra.testing.services.processes import kill_tree, wait_for

ROOT = Path(__file__).parents[2]
PATRONI = Path(os.environ.get("TIMBRA_PATRONI", ROOT / ".venv-postgresql" / "bin" / "patroni"))
ETCD = shutil.which("etcd")
HAPROXY = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")
NAMES = ("db-a", "db-b", "db-c")
USERS = ("SUPERUSER", "REPLICATION", "REWIND")
PASSWORD = "una-clave-larga-de-prueba"
READY_SECONDS = 180
PAUSE_SECONDS = 0.1


class Machine:
    """PostgreSQL, its Patroni and a member of etcd.

    Attributes:
        port: where PostgreSQL listens.
        status_port: where Patroni answers.
    """

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.port, self.status_port, self.etcd_port, self.peer_port = (free_port() for _ in range(4))
        self._folder = folder
        self._as_owner = as_owner(folder)
        self._etcd: subprocess.Popen[bytes] | None = None
        self._patroni: subprocess.Popen[bytes] | None = None

    def configure(self, machines: Sequence[Machine]) -> None:
        """Write the file of `deploy/patroni` with the places of this machine."""
        replaced = {
            "name: db-a": f"name: {self.name}",
            "listen: 0.0.0.0:8008": f"listen: 127.0.0.1:{self.status_port}",
            "listen: 0.0.0.0:5432": f"listen: 127.0.0.1:{self.port}",
            "db-a.internal:8008": f"127.0.0.1:{self.status_port}",
            "db-a.internal:5432": f"127.0.0.1:{self.port}",
            "/var/lib/postgresql/timbra": str(self._data),
            "/usr/lib/postgresql/18/bin": str(programs()),
            # Debian's folder of sockets need not exist.
            'synchronous_commit: "on"': f'synchronous_commit: "on"\n        unix_socket_directories: {self._folder}',
            **{f"{each.name}.internal:2379": f"127.0.0.1:{each.etcd_port}" for each in machines},
        }
        (self._folder / "patroni.yml").write_text(replaced_in("patroni/patroni.yml", replaced))

    def start(self, machines: Sequence[Machine]) -> None:
        """Start etcd and Patroni, which starts PostgreSQL."""
        own, peer = f"http://127.0.0.1:{self.etcd_port}", f"http://127.0.0.1:{self.peer_port}"
        members = ",".join(f"{each.name}=http://127.0.0.1:{each.peer_port}" for each in machines)
        options = {
            "name": self.name,
            "data-dir": str(self._folder / "etcd"),
            "listen-client-urls": own,
            "advertise-client-urls": own,
            "listen-peer-urls": peer,
            "initial-advertise-peer-urls": peer,
            "initial-cluster": members,
        }
        self._etcd = self._run([str(ETCD), *(f"--{name}={value}" for name, value in options.items())])
        passwords = {f"PATRONI_{user}_PASSWORD": PASSWORD for user in USERS}
        environment = {**os.environ, **passwords, "HOME": str(self._folder)}
        self._patroni = self._run([str(PATRONI), str(self._folder / "patroni.yml")], environment)

    def kill(self) -> None:
        """SIGKILL to Patroni, PostgreSQL and etcd, as a power cut."""
        for process in (self._patroni, self._postmaster(), self._etcd):
            if process is not None:
                kill_tree(process)
        self._patroni = self._etcd = None

    def suspend_patroni(self) -> None:
        """Let Patroni hang; PostgreSQL goes on."""
        self._signal(signal.SIGSTOP)

    def resume_patroni(self) -> None:
        self._signal(signal.SIGCONT)

    def is_leader(self) -> bool:
        """Whether Patroni says so, as HAProxy asks."""
        with suppress(OSError, HTTPException):
            return self._ask("/primary") is not None
        return False

    def cluster(self) -> list[dict[str, Any]]:
        """Return the members, as this machine knows them; none while it cannot tell."""
        with suppress(OSError, HTTPException):
            found: list[dict[str, Any]] = json.loads(self._ask("/cluster") or b"{}").get("members", [])
            return found
        return []

    def log(self) -> str:
        return (self._folder / "log").read_text(errors="replace")[-3000:]

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    def _postmaster(self) -> psutil.Process | None:
        """Return the server, which is no child of Patroni."""
        with suppress(OSError, ValueError, psutil.NoSuchProcess):
            found = psutil.Process(int((self._data / "postmaster.pid").read_text().split("\n", 1)[0]))
            return found if str(self._data) in " ".join(found.cmdline()) else None
        return None

    def _run(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(
                [*self._as_owner, *command], stdout=log, stderr=log, env=environment, cwd=self._folder
            )

    def _signal(self, number: int) -> None:
        assert self._patroni is not None
        self._patroni.send_signal(number)

    def _ask(self, path: str) -> bytes | None:
        with urlopen(f"http://127.0.0.1:{self.status_port}{path}", timeout=2) as answer:
            content: bytes = answer.read()
            return content


class PatroniCluster:
    """Three machines with one database."""

    def __init__(self, folder: Path) -> None:
        self.machines = [Machine(name, _made(folder / name)) for name in NAMES]

    def start(self) -> None:
        """Start the machines, and create the user and the database of Timbra."""
        for machine in self.machines:
            machine.configure(self.machines)
            machine.start(self.machines)
        self.wait_for_members()
        place = f"host=127.0.0.1 port={self.leader().port} user=postgres dbname=postgres connect_timeout=5"
        with psycopg.connect(place, password=PASSWORD, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE ROLE timbra LOGIN PASSWORD {}").format(PASSWORD))
            connection.execute("CREATE DATABASE timbra OWNER timbra")

    @property
    def url(self) -> str:
        """The address of the three servers; libpq uses the one that accepts writes."""
        hosts = "&".join(f"host=127.0.0.1:{machine.port}" for machine in self.machines)
        return f"postgresql+psycopg://timbra:{PASSWORD}@/timbra?{hosts}&target_session_attrs=read-write"

    def leader(self) -> Machine:
        """Wait until one machine leads, and return it."""
        return self.next_leader(None)

    def next_leader(self, former: Machine | None) -> Machine:
        """Wait until another machine than the former one leads, and return it."""
        found: list[Machine] = []

        def leads() -> bool:
            found[:] = [each for each in self.machines if each is not former and each.is_leader()]
            return len(found) == 1

        self._wait(leads, "a leader")
        return found[0]

    def restart(self, machine: Machine) -> None:
        """Start a killed machine, and wait until it follows."""
        machine.start(self.machines)
        self.wait_for_members()

    def wait_for_members(self) -> None:
        """Wait until one machine leads, and both others follow it, one of them synchronously."""
        self._wait(self._is_complete, "three members")

    def stop(self) -> None:
        for machine in self.machines:
            machine.kill()

    def _is_complete(self) -> bool:
        views = [machine.cluster() for machine in self.machines]
        complete = [
            sorted(member["role"] for member in view) == ["leader", "replica", "sync_standby"]
            and {member["state"] for member in view} == {"running", "streaming"}
            and len({member.get("timeline") for member in view}) == 1
            for view in views
        ]
        return all(complete)

    def _wait(self, holds: Any, what: str) -> None:
        try:
            wait_for(holds, READY_SECONDS, what, PAUSE_SECONDS)
        except TimeoutError as error:
            logs = "\n".join(f"{machine.name}:\n{machine.log()}" for machine in self.machines)
            raise RuntimeError(f"{error}\n{logs}") from error


def need_patroni() -> None:
    """Skip the test without Patroni, etcd or PostgreSQL's programs, or fail it where they are required."""
    need_cluster()
    need("patroni", PATRONI.exists(), f"{PATRONI.name} is not installed: make .venv-postgresql/bin/python")
    need("etcd", ETCD, "etcd is not installed: apt-get install etcd-server")


@contextmanager
def patroni_cluster() -> Iterator[PatroniCluster]:
    """Yield a running cluster in a new folder."""
    folder = Path(tempfile.mkdtemp(prefix="timbra-patroni-"))
    folder.chmod(0o755)
    made = PatroniCluster(folder)
    try:
        made.start()
        yield made
    finally:
        made.stop()
        shutil.rmtree(folder)


@contextmanager
def leader_proxy(cluster: PatroniCluster, folder: Path) -> Iterator[int]:
    """Yield the port of an HAProxy in front of the leader, by the file of `deploy/haproxy`."""
    need("haproxy", HAPROXY, "HAProxy is not installed")
    port = free_port()
    replaced = {"bind 127.0.0.1:5000": f"bind 127.0.0.1:{port}", "check port 8008 ": "check "}
    for machine in cluster.machines:
        own = f"127.0.0.1:{machine.port} port {machine.status_port}"
        replaced[f"{machine.name}.internal:5432"] = own
    file = folder / "postgresql.cfg"
    file.write_text(replaced_in("haproxy/postgresql.cfg", replaced))
    process = subprocess.Popen([str(HAPROXY), "-f", str(file)], stderr=subprocess.DEVNULL)
    try:
        yield port
    finally:
        process.kill()
        process.wait()


def _made(folder: Path) -> Path:
    folder.mkdir()
    folder.chmod(0o755)
    return folder
