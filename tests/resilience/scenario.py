"""Two nodes on a PostgreSQL of their own, each behind a wire, under clients: what chaos plays on."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGKILL

from tests.resilience.audit import Compared, audit, kept, repeat, settle
from tests.resilience.clients import LATER, Book, LoadClients
from tests.resilience.deployment import Deployment
from tests.resilience.killing import kill_all, wait_for, workers_of
from tests.resilience.stamp_requests import Orders
from tests.resilience.stepped_clock import VARIABLE, step
from tests.resilience.wire import Fault, Wire, wire
from tests.support.postgresql_cluster import Cluster, cluster
from tests.support.server import Server
from tests.support.small_disk import Disk, mounted

from timbra.bootstrap import open_container

NAMES = ("a", "b")
CLIENTS = 4
WORKERS = 2
DISK_MEBIBYTES = 256
TIMEOUT_SECONDS = 25
ENOUGH = 20


@dataclass
class Node:
    """A node and its wire; `server` while it runs."""

    name: str
    wire: Wire
    server: Server
    life: ExitStack = field(repr=False)


class Stage:
    """Every method does one thing to the nodes while clients stamp, and waits until they stamp again."""

    def __init__(
        self, site: Deployment, token: str, database: Cluster, disk: Disk | None, wall: Path, seed: int
    ) -> None:
        self.site = site
        self.database = database
        self.disk = disk
        self.book = Book()
        self.orders = Orders(site, seed)
        self.nodes: list[Node] = []
        self._token = token
        self._wall = wall
        self._jitter = random.Random(seed)
        self._load_clients: list[LoadClients] = []

    def start_node(self, name: str, through: Wire, port: int = 0) -> Node:
        """The port of a node that came back is the one it had, as behind a balancer."""
        life = ExitStack()
        server = life.enter_context(
            self.site.node(
                self._token,
                name=name,
                url=self.database.url(through.port),
                port=port,
                workers=WORKERS,
                program="tests.resilience.stepped_clock",
                environment={VARIABLE: str(self._wall)},
            )
        )
        return Node(name, through, server, life)

    def open_doors(self) -> None:
        """Clients come."""
        for node in self.nodes:
            load_clients = LoadClients(CLIENTS, node.server.address, self._token, self.orders, self.book, retries=True)
            load_clients.start()
            self._load_clients.append(load_clients)

    def close_doors(self) -> None:
        """Clients go, each with its answer or without."""
        for load_clients in self._load_clients:
            load_clients.stop()
        self._load_clients.clear()

    def close_nodes(self) -> None:
        for node in self.nodes:
            node.life.close()

    def recover(self) -> None:
        """Until new stamps come again."""
        wait_for(self._more(lambda code: code == "200"), TIMEOUT_SECONDS)

    def suffer(self) -> None:
        """Until clients are told to come later."""
        wait_for(self._more(lambda code: code == LATER), TIMEOUT_SECONDS)

    def kill_worker(self) -> str:
        node = self._jitter.choice(self.nodes)
        wait_for(lambda: len(workers_of(node.server)) == WORKERS, TIMEOUT_SECONDS)
        worker = self._jitter.choice(workers_of(node.server))
        os.kill(worker.pid, SIGKILL)
        self.recover()
        wait_for(lambda: len(workers_of(node.server)) == WORKERS, TIMEOUT_SECONDS)
        return f"killed a worker of node {node.name}"

    def kill_node(self) -> str:
        """The other node serves on; then this one comes back."""
        place = self._jitter.randrange(len(self.nodes))
        node = self.nodes[place]
        port = int(node.server.address.rpartition(":")[2])
        workers = kill_all(node.server, self._jitter)
        node.life.close()
        self.recover()
        self.nodes[place] = self.start_node(node.name, node.wire, port)
        self.recover()
        return f"killed node {node.name} with {workers} workers, and started it again"

    def kill_database(self) -> str:
        count = self.database.kill()
        self.suffer()
        self.database.start()
        self.recover()
        return f"killed PostgreSQL with {count} processes, and started it again"

    def cut_wire(self) -> str:
        """The disconnected node rejects requests; it does not hang."""
        node = self._jitter.choice(self.nodes)
        node.wire.cut()
        self.suffer()
        node.wire.heal()
        self.recover()
        return f"cut node {node.name} off from the database, and healed the wire"

    def break_commit(self) -> str:
        node, fault = self._jitter.choice(self.nodes), self._jitter.choice(list(Fault))
        struck = len(node.wire.struck)
        node.wire.arm(fault)
        wait_for(lambda: len(node.wire.struck) > struck, TIMEOUT_SECONDS)
        self.recover()
        return f"broke a commit of node {node.name}: {fault.value}"

    def fill_disk(self) -> str:
        """PostgreSQL may go down over it; it is started again when there is room."""
        assert self.disk is not None
        taken = self.disk.fill()
        self.suffer()
        self.disk.free()
        crashed = not self.database.is_running
        if crashed:
            self.database.start()
        self.recover()
        fate = "went down and was started again" if crashed else "lived on"
        return f"filled the disk with {taken:,} bytes; PostgreSQL {fate}"

    def step_fiscal_clock(self) -> str:
        hours = self._jitter.choice([-12, 12, 30])
        with open_container(self.site.settings) as container:
            container.poll()
            container.sandbox_services.clock_control.reset()
            container.sandbox_services.clock_control.advance(f"{hours:+}h")
        self.recover()
        return f"fiscal time stepped to {hours:+} hours"

    def step_wall_clock(self) -> str:
        """Of both nodes; fiscal time goes along."""
        seconds = self._jitter.choice([-3600, 3600])
        step(self._wall, seconds)
        self.recover()
        return f"wall time of all nodes stepped to {seconds:+} s"

    def restore_clocks(self) -> None:
        step(self._wall, 0)
        with open_container(self.site.settings) as container:
            container.sandbox_services.clock_control.reset()

    def acts(self) -> dict[str, Callable[[], str]]:
        """What can be done here."""
        names = ["kill_worker", "kill_node", "kill_database", "cut_wire", "break_commit"]
        names += ["step_fiscal_clock", "step_wall_clock", *(["fill_disk"] if self.disk is not None else [])]
        return {name: getattr(self, name) for name in names}

    def audit(self, repeated: int | None = ENOUGH) -> Compared:
        """Sends again what was never answered, and what was: then holds all rows against each other."""
        self.restore_clocks()
        audit(self.site.settings, self.book)
        server = self.nodes[0].server
        settle(server, self.orders, self.book, {one.number for one in kept(self.site.settings)})
        count = repeat(self.nodes[-1].server, self.orders, self.book, repeated)
        return audit(self.site.settings, self.book).with_repeated(count)

    def _more(self, wanted: Callable[[str], bool]) -> Callable[[], bool]:
        seen = len(self.book.told)

        def enough() -> bool:
            return sum(wanted(one.code) for one in self.book.told[seen:]) >= ENOUGH // 4

        return enough


@contextmanager
def stage(folder: Path, seed: int) -> Iterator[Stage]:
    """Two running nodes, without clients yet; on a small disk where one can be mounted."""
    with ExitStack() as life:
        disk = life.enter_context(mounted(DISK_MEBIBYTES))
        database = life.enter_context(cluster(_room(disk)))
        site = Deployment(folder / "node", database.url())
        wall = folder / "wall"
        step(wall, 0)
        play = Stage(site, site.seed(), database, disk, wall, seed)
        for name in NAMES:
            through = life.enter_context(wire(database.port))
            play.nodes.append(play.start_node(name, through))
        life.callback(play.close_nodes)
        life.callback(play.close_doors)
        yield play


def _room(disk: Disk | None) -> Path | None:
    if disk is None:
        return None
    room = disk.folder / "cluster"
    room.mkdir()
    return room
