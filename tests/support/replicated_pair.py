"""A primary and its synchronous standby, two PostgreSQL clusters that change their roles."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.postgresql_cluster import TIMEOUT_SECONDS, Cluster, execute

SYNCHRONOUS = "ALTER SYSTEM SET synchronous_standby_names = '{}'"
RELOAD = "SELECT pg_reload_conf()"
STATE = "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'"


class ReplicatedPair:
    """Two clusters: every commit of the primary waits for the standby.

    Attributes:
        primary: the server that accepts writes.
        standby: the server that follows it.
    """

    def __init__(self, folder: Path) -> None:
        self._clusters: list[Cluster] = []
        for name in "ab":
            place = folder / name
            place.mkdir()
            place.chmod(0o755)
            self._clusters.append(Cluster(place, self._clusters[0] if self._clusters else None))
            self._clusters[-1].start()
        self.primary, self.standby = self._clusters
        self._wait_for_standby()

    @property
    def url(self) -> str:
        """The address of both servers; libpq uses the one that accepts writes."""
        hosts = "&".join(f"host=127.0.0.1:{cluster.port}" for cluster in self._clusters)
        options = "target_session_attrs=read-write&sslmode=disable&gssencmode=disable"
        return f"postgresql+psycopg://postgres@/postgres?{hosts}&{options}"

    def fail_over(self) -> None:
        """Kill the primary and promote the standby, which then has no standby of its own."""
        self.primary.kill()
        self.standby.promote()
        self.primary, self.standby = self.standby, self.primary
        execute(self.primary, SYNCHRONOUS.format(""), RELOAD)

    def rebuild_standby(self) -> None:
        """Make the former primary a standby of the present one."""
        self.standby.stop()
        self.standby.follow(self.primary)
        self.standby.start()
        self._wait_for_standby()

    def restart_standby(self) -> None:
        self.standby.start()
        self._wait_for_standby()

    def stop(self) -> None:
        for cluster in self._clusters:
            cluster.stop()

    def _wait_for_standby(self) -> None:
        execute(self.primary, SYNCHRONOUS.format("standby"), RELOAD)
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while ("sync",) not in execute(self.primary, STATE):
            assert time.monotonic() < deadline, "the standby does not follow"
            time.sleep(0.1)


@contextmanager
def replicated_pair() -> Iterator[ReplicatedPair]:
    """Yield a running pair in a new folder."""
    folder = Path(tempfile.mkdtemp(prefix="timbra-pair-"))
    folder.chmod(0o755)
    made = None
    try:
        made = ReplicatedPair(folder)
        yield made
    finally:
        if made is not None:
            made.stop()
        with suppress(FileNotFoundError):
            shutil.rmtree(folder)
