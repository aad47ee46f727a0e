"""Scenarios of the chaos tests: two nodes with clients.

`NodeScenario` has one PostgreSQL, with a proxy before each node. `StandbyScenario` has a primary and its synchronous
standby; one node reaches them through a pooler.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from signal import SIGKILL

from tests.resilience.audit import Compared, audit, repeat, settle, stored_stamps
from tests.resilience.clients import LATER, AnswerLog, LoadClients
from tests.resilience.database_proxy import DatabaseProxy, Fault, database_proxy
from tests.resilience.deployment import Deployment
from tests.resilience.faulty_batches import FOLDER
from tests.resilience.killing import delivery_processes_of, kill_all, wait_for, workers_of
from tests.resilience.stamp_requests import AGE, Orders
from tests.resilience.stepped_clock import VARIABLE, step
from tests.support.pgbouncer import PROGRAM, PgBouncer, pgbouncer
from tests.support.replicated_pair import ReplicatedPair, replicated_pair
from tests.support.server import Server

from timbra._rsa8 import load_batches
from timbra.app.composition import open_container
from timbra.database.build import opened_database
from timbra.sandbox.build import sandbox_services
from timbra.testing.services.postgresql import Cluster, cluster
from timbra.testing.services.small_disk import Disk, mounted

NAMES = ("a", "b")
CLIENTS = 4
MANY_CLIENTS = 20
"""Clients of one node that make its workers sign in batches."""
WORKERS = 2
DISK_MEBIBYTES = 256
TIMEOUT_SECONDS = 60
DATABASE_TIMEOUT_SECONDS = 2
SAMPLE = 20


@dataclass
class Node:
    """A running node. url: its way to the database."""

    name: str
    url: str
    server: Server
    stack: ExitStack = field(repr=False)


class Scenario:
    """Failures of nodes while clients stamp; each action waits until they stamp again."""

    def __init__(self, deployment: Deployment, token: str, wall: Path, seed: int, age: timedelta = AGE) -> None:
        self.deployment = deployment
        self.answer_log = AnswerLog()
        self.orders = Orders(deployment, seed, age)
        self.nodes: list[Node] = []
        self._token = token
        self._wall = wall
        self._faults = wall.with_name("faults")
        self._faults.mkdir(exist_ok=True)
        self._jitter = random.Random(seed)
        self._load_clients: list[LoadClients] = []

    def start_node(self, name: str, url: str, port: int = 0) -> Node:
        """Start a node; port: of its previous server, which a load balancer keeps."""
        stack = ExitStack()
        server = stack.enter_context(
            self.deployment.node(
                self._token,
                name=name,
                url=url,
                port=port,
                workers=WORKERS,
                program="tests.resilience.stepped_clock",
                environment={VARIABLE: str(self._wall), FOLDER: str(self._faults)},
            )
        )
        return Node(name, url, server, stack)

    def start_clients(self) -> None:
        """Start the clients of all nodes."""
        for node in self.nodes:
            load_clients = LoadClients(
                CLIENTS, node.server.address, self._token, self.orders, self.answer_log, retries=True
            )
            load_clients.start()
            self._load_clients.append(load_clients)

    def stop_clients(self) -> None:
        """Stop the clients after their open requests."""
        for load_clients in self._load_clients:
            load_clients.stop()
        self._load_clients.clear()

    def close_nodes(self) -> None:
        for node in self.nodes:
            node.stack.close()

    def wait_for_stamps(self) -> None:
        """Wait until clients get new stamps."""
        wait_for(self._more_answers(lambda code: code == "200"), TIMEOUT_SECONDS)

    def wait_for_rejections(self) -> None:
        """Wait until clients are rejected with LATER."""
        wait_for(self._more_answers(lambda code: code == LATER), TIMEOUT_SECONDS)

    def kill_worker(self) -> str:
        node = self._jitter.choice(self.nodes)
        wait_for(lambda: len(workers_of(node.server)) == WORKERS, TIMEOUT_SECONDS)
        worker = self._jitter.choice(workers_of(node.server))
        os.kill(worker.pid, SIGKILL)
        self.wait_for_stamps()
        wait_for(lambda: len(workers_of(node.server)) == WORKERS, TIMEOUT_SECONDS)
        return f"killed a worker of node {node.name}"

    def kill_in_batch(self) -> str:
        """Kill a worker in the middle of a batch of signatures, and let one lane of further batches fail."""
        node, lanes = self._jitter.choice(self.nodes), self._faults / "lanes"
        for path in (self._faults / "kill", self._faults / "batches", lanes):
            path.touch()
        many = LoadClients(MANY_CLIENTS, node.server.address, self._token, self.orders, self.answer_log, retries=True)
        many.start()
        try:
            wait_for(lambda: not (self._faults / "kill").exists(), TIMEOUT_SECONDS)
            wait_for(lambda: (self._faults / "batches").stat().st_size > 0, TIMEOUT_SECONDS)
        finally:
            lanes.unlink()
            (self._faults / "kill").unlink(missing_ok=True)
            many.stop()
        (self._faults / "batches").unlink()
        self.wait_for_stamps()
        wait_for(lambda: len(workers_of(node.server)) == WORKERS, TIMEOUT_SECONDS)
        return f"killed a worker of node {node.name} in a batch of signatures"

    def kill_delivery(self) -> str:
        """Kill the process for deliveries; stamps are answered meanwhile, and another process replaces it."""
        node = self._jitter.choice(self.nodes)
        wait_for(lambda: len(delivery_processes_of(node.server)) == 1, TIMEOUT_SECONDS)
        [process] = delivery_processes_of(node.server)
        os.kill(process.pid, SIGKILL)
        self.wait_for_stamps()
        wait_for(lambda: set(delivery_processes_of(node.server)) - {process} != set(), TIMEOUT_SECONDS)
        return f"killed the process for deliveries of node {node.name}"

    def kill_node(self) -> str:
        """Kill a node, wait until the other one serves, and restart it."""
        place = self._jitter.randrange(len(self.nodes))
        node = self.nodes[place]
        port = int(node.server.address.rpartition(":")[2])
        workers = kill_all(node.server, self._jitter)
        node.stack.close()
        self.wait_for_stamps()
        self.nodes[place] = self.start_node(node.name, node.url, port)
        self.wait_for_stamps()
        return f"killed node {node.name} with {workers} workers, and started it again"

    def step_fiscal_clock(self) -> str:
        hours = self._jitter.choice([-12, 12, 30])
        with open_container(self.deployment.settings) as container:
            container.get(opened_database).poll()
            container.get(sandbox_services).clock_control.reset()
            container.get(sandbox_services).clock_control.advance(f"{hours:+}h")
        self.wait_for_stamps()
        return f"fiscal time stepped to {hours:+} hours"

    def step_wall_clock(self) -> str:
        """Step the wall clock of both nodes; fiscal time follows."""
        seconds = self._jitter.choice([-3600, 3600])
        step(self._wall, seconds)
        self.wait_for_stamps()
        return f"wall time of all nodes stepped to {seconds:+} s"

    def restore_clocks(self) -> None:
        step(self._wall, 0)
        with open_container(self.deployment.settings) as container:
            container.get(sandbox_services).clock_control.reset()

    def actions(self) -> dict[str, Callable[[], str]]:
        """Return the actions that this machine supports."""
        kills = ["kill_worker", "kill_delivery", "kill_node", *(["kill_in_batch"] if load_batches()[0] else [])]
        names = [*kills, *self._clock_actions(), *self._other_actions()]
        return {name: getattr(self, name) for name in names}

    def _clock_actions(self) -> list[str]:
        return ["step_fiscal_clock", "step_wall_clock"]

    def _other_actions(self) -> list[str]:
        raise NotImplementedError

    def compare(self) -> Compared:
        """Compare all rows with the answers."""
        return audit(self.deployment.settings, self.answer_log)

    def audit(self, repeated: int | None = SAMPLE) -> Compared:
        """Repeat unanswered and answered orders, and compare all rows."""
        self.restore_clocks()
        self.compare()
        server = self.nodes[0].server
        settle(server, self.orders, self.answer_log, {one.number for one in stored_stamps(self.deployment.settings)})
        count = repeat(self.nodes[-1].server, self.orders, self.answer_log, repeated)
        return self.compare().with_repeated(count)

    def _more_answers(self, wanted: Callable[[str], bool]) -> Callable[[], bool]:
        seen = len(self.answer_log.answers)

        def has_enough() -> bool:
            return sum(wanted(one.code) for one in self.answer_log.answers[seen:]) >= SAMPLE // 4

        return has_enough


class NodeScenario(Scenario):
    """Failures of one PostgreSQL, and of the connections to it."""

    def __init__(
        self, deployment: Deployment, token: str, database: Cluster, disk: Disk | None, wall: Path, seed: int
    ) -> None:
        super().__init__(deployment, token, wall, seed)
        self.database = database
        self.disk = disk
        self.proxies: dict[str, DatabaseProxy] = {}

    def kill_database(self) -> str:
        count = self.database.kill()
        self.wait_for_rejections()
        self.database.start()
        self.wait_for_stamps()
        return f"killed PostgreSQL with {count} processes, and started it again"

    def disconnect_node(self) -> str:
        """Disconnect a node, which must reject requests without hanging, and reconnect it."""
        node = self._jitter.choice(self.nodes)
        self.proxies[node.name].cut()
        self.wait_for_rejections()
        self.proxies[node.name].reconnect()
        self.wait_for_stamps()
        return f"disconnected node {node.name} from the database and reconnected it"

    def break_commit(self) -> str:
        node, fault = self._jitter.choice(self.nodes), self._jitter.choice(list(Fault))
        proxy = self.proxies[node.name]
        applied = len(proxy.applied)
        proxy.arm(fault)
        wait_for(lambda: len(proxy.applied) > applied, TIMEOUT_SECONDS)
        self.wait_for_stamps()
        return f"broke a commit of node {node.name}: {fault.value}"

    def fill_disk(self) -> str:
        """Fill the disk; PostgreSQL may crash and is then restarted after the disk has space again."""
        assert self.disk is not None
        taken = self.disk.fill()
        self.wait_for_rejections()
        self.disk.free()
        crashed = self._recover_database()
        fate = "crashed and was restarted" if crashed else "kept running"
        return f"filled the disk with {taken:,} bytes; PostgreSQL {fate}"

    def _recover_database(self) -> bool:
        """Wait for stamps; start PostgreSQL whenever it has ended, which may be after the disk has space again."""
        crashed, has_stamps = False, self._more_answers(lambda code: code == "200")

        def recovers() -> bool:
            nonlocal crashed
            if not self.database.is_running:
                self.database.start()
                crashed = True
            return has_stamps()

        wait_for(recovers, TIMEOUT_SECONDS)
        return crashed

    def _other_actions(self) -> list[str]:
        names = ["kill_database", "disconnect_node", "break_commit"]
        return [*names, "fill_disk"] if self.disk is not None else names


class StandbyScenario(Scenario):
    """Failures of a primary, of its synchronous standby, and of the pooler through which the first node connects.

    Attributes:
        outages: seconds without a stamp after each death of the primary.
    """

    def __init__(
        self,
        deployment: Deployment,
        token: str,
        pair: ReplicatedPair,
        pooler: PgBouncer | None,
        wall: Path,
        seed: int,
    ) -> None:
        super().__init__(deployment, token, wall, seed)
        self.pair = pair
        self.pooler = pooler
        self.outages: list[float] = []

    def fail_over(self) -> str:
        """Kill the primary, promote the standby, wait until all nodes stamp again, and make a new standby."""
        begun = time.monotonic()
        self.pair.fail_over()
        if self.pooler is not None:
            self.pooler.point_to(self.pair.primary.port)
        promoted = time.monotonic() - begun
        self.wait_for_stamps()
        self.outages.append(time.monotonic() - begun)
        self.pair.rebuild_standby()
        self.wait_for_stamps()
        return f"killed the primary; promoted after {promoted:.1f} s, stamps again after {self.outages[-1]:.1f} s"

    def kill_standby(self) -> str:
        """Kill the standby: no stamp is answered until it follows again."""
        self.pair.standby.kill()
        self.wait_for_rejections()
        self.pair.restart_standby()
        self.wait_for_stamps()
        return "killed the standby, and started it again"

    def kill_pooler(self) -> str:
        assert self.pooler is not None
        self.pooler.kill()
        self.wait_for_rejections()
        self.pooler.start()
        self.wait_for_stamps()
        return f"killed the pooler of node {self.nodes[0].name}, and started it again"

    def _other_actions(self) -> list[str]:
        names = ["fail_over", "kill_standby"]
        return [*names, "kill_pooler"] if self.pooler is not None else names


@contextmanager
def node_scenario(folder: Path, seed: int) -> Iterator[NodeScenario]:
    """Yield two running nodes without clients; on a small disk where one can be mounted."""
    with ExitStack() as stack:
        disk = stack.enter_context(mounted(DISK_MEBIBYTES))
        database = stack.enter_context(cluster(_cluster_folder(disk)))
        deployment = Deployment(folder / "node", database.url(), DATABASE_TIMEOUT_SECONDS)
        wall = folder / "wall"
        step(wall, 0)
        scenario = NodeScenario(deployment, deployment.seed(), database, disk, wall, seed)
        for name in NAMES:
            proxy = stack.enter_context(database_proxy(database.port))
            scenario.proxies[name] = proxy
            scenario.nodes.append(scenario.start_node(name, database.url(proxy.port)))
        stack.callback(scenario.close_nodes)
        stack.callback(scenario.stop_clients)
        yield scenario


@contextmanager
def standby_scenario(folder: Path, seed: int) -> Iterator[StandbyScenario]:
    """Yield two running nodes without clients; the first one uses a pooler where PgBouncer is installed."""
    with ExitStack() as stack:
        pair = stack.enter_context(replicated_pair())
        deployment = Deployment(folder / "node", pair.url, DATABASE_TIMEOUT_SECONDS)
        wall = folder / "wall"
        step(wall, 0)
        pooler = stack.enter_context(pgbouncer(pair.primary.port)) if PROGRAM else None
        scenario = StandbyScenario(deployment, deployment.seed(), pair, pooler, wall, seed)
        first_url = pair.primary.url(pooler.port) if pooler is not None else pair.url
        for name, url in zip(NAMES, (first_url, pair.url), strict=True):
            scenario.nodes.append(scenario.start_node(name, url))
        stack.callback(scenario.close_nodes)
        stack.callback(scenario.stop_clients)
        yield scenario


def _cluster_folder(disk: Disk | None) -> Path | None:
    if disk is None:
        return None
    room = disk.folder / "cluster"
    room.mkdir()
    return room
