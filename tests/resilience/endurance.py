"""The long run: `python -m tests.resilience.endurance --stamps 1000000`, which `make endurance` runs.

It stamps on SQLite, then on PostgreSQL (a cluster of its own), kills the server or a worker now and then, and at the
end compares every row, and memory and descriptors of the workers before and after the last stamps.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from tests.resilience.audit import audit, repeat, settle, stored_stamps
from tests.resilience.clients import STAMPED, AnswerLog, LoadClients
from tests.resilience.deployment import Deployment
from tests.resilience.killing import kill_all, wait_for, workers_of
from tests.resilience.stamp_requests import Orders
from tests.support.postgresql_cluster import cluster
from tests.support.server import Server

CLIENTS = 32
POSTGRESQL = {"shared_buffers": "256MB", "max_wal_size": "1GB", "min_wal_size": "80MB"}
"""Settings of a database of this size, beside those of the small clusters of other tests."""
WORKERS = 2
REPEATED = 200
WAIT_SECONDS = 600
SETTINGS = {"TIMBRA_INSPECTOR": "off"}
"""As in production: a sandbox would record each call too."""
KILLS = {"worker": 3, "server": 1}
"""How often each victim is drawn."""


@dataclass(frozen=True)
class Usage:
    """Memory and open files of all workers, idle."""

    resident: int
    descriptors: int

    def __str__(self) -> str:
        return f"{self.resident / 2**20:.0f} MiB resident, {self.descriptors} descriptors"


def usage(server: Server) -> Usage:
    """Measure the workers of a server that has no requests."""
    workers = workers_of(server)
    return Usage(sum(worker.memory_info().rss for worker in workers), sum(worker.num_fds() for worker in workers))


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.resilience.endurance", description=__doc__.splitlines()[0])
    parser.add_argument("--stamps", type=int, default=1_000_000, help="on each database")
    parser.add_argument("--kill-every", type=int, default=5_000, help="stamps between two kills")
    parser.add_argument("--minutes", type=float, default=600, help="at most, on each database")
    parser.add_argument("--database", choices=DATABASES, action="append", help="default: both")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    console = Console(soft_wrap=True)
    for name in options.database or DATABASES:
        with tempfile.TemporaryDirectory() as folder, _database(name) as url:
            run = LongRun(Deployment(Path(folder) / "data", url), options.seed, console)
            console.print(f"{name}: {run.stamp(options.stamps, options.kill_every, options.minutes * 60)}")


class LongRun:
    """Clients that stamp on one deployment while processes are killed."""

    def __init__(self, deployment: Deployment, seed: int, console: Console) -> None:
        self._deployment = deployment
        self._token = deployment.seed()
        self._orders = Orders(deployment, seed)
        self._log = AnswerLog()
        self._jitter = random.Random(seed)
        self._console = console
        self._killed = dict.fromkeys(KILLS, 0)
        self._read = 0
        self._stamped: set[int] = set()

    def stamp(self, count: int, kill_every: int, seconds: float) -> str:
        """Stamp until there are so many stamps or the time is over, compare everything and return the result."""
        begun = time.monotonic()
        while self._stamps < count and time.monotonic() - begun < seconds:
            self._serve(min(count, self._stamps + kill_every * 4), kill_every, begun + seconds)
            self._console.print(
                f"{self._stamps:,} stamps after {time.monotonic() - begun:,.0f} s, {self._killed} killed"
            )
        elapsed = time.monotonic() - begun
        compared = audit(self._deployment.settings, self._log)
        stored = {one.number for one in stored_stamps(self._deployment.settings)}
        with self._deployment.node(self._token, workers=WORKERS, environment=SETTINGS) as server:
            wait_for(lambda: len(workers_of(server)) == WORKERS, WAIT_SECONDS)
            settle(server, self._orders, self._log, stored)
            repeated = repeat(server, self._orders, self._log, REPEATED)
            # Workers open connections and files while they handle their first requests.
            self._work(server, self._stamps + kill_every, time.monotonic() + seconds)
            before = usage(server)
            self._work(server, self._stamps + kill_every, time.monotonic() + seconds)
            after = usage(server)
        final = audit(self._deployment.settings, self._log).with_repeated(repeated)
        assert after.descriptors <= before.descriptors + CLIENTS * WORKERS, (before, after)
        return (
            f"{compared.stamps:,} stamps in {elapsed:,.0f} s, {self._killed} killed, {len(self._log.lost):,} requests "
            f"broken off; {final}; before the last {kill_every:,} stamps {before}, after them {after}"
        )

    @property
    def _stamps(self) -> int:
        """The number of stamped orders; reads only the answers since the last call."""
        answers = self._log.answers[self._read :]
        self._read += len(answers)
        self._stamped.update(answer.number for answer in answers if answer.code in STAMPED)
        return len(self._stamped)

    def _serve(self, enough: int, kill_every: int, end: float) -> None:
        """Run a server until there are enough stamps, with kills of workers; then, or in between, kill the server."""
        with self._deployment.node(self._token, workers=WORKERS, environment=SETTINGS) as server:
            while self._stamps < enough and time.monotonic() < end:
                self._work(server, self._stamps + kill_every, end, leave=False)
                victim = self._jitter.choices(list(KILLS), list(KILLS.values()))[0]
                self._killed[victim] += 1
                if victim == "server":
                    kill_all(server, self._jitter)
                    self._stop()
                    return
                wait_for(lambda: len(workers_of(server)) == WORKERS, WAIT_SECONDS)
                os.kill(self._jitter.choice(workers_of(server)).pid, signal.SIGKILL)
                self._stop()

    def _work(self, server: Server, enough: int, end: float, *, leave: bool = True) -> None:
        """Let clients stamp until there are enough stamps; `leave`: then stop them."""
        self._clients = LoadClients(CLIENTS, server.address, self._token, self._orders, self._log, retries=True)
        self._clients.start()
        while self._stamps < enough and time.monotonic() < end:
            time.sleep(0.5)
        if leave:
            self._stop()

    def _stop(self) -> None:
        self._clients.stop()


@contextmanager
def _database(name: str) -> Iterator[str]:
    if name == "sqlite":
        yield ""
        return
    with cluster(settings=POSTGRESQL) as server:
        yield server.url()


DATABASES = ("sqlite", "postgresql")

if __name__ == "__main__":
    main()
