"""The machine of the leader dies, or its Patroni hangs, while two nodes stamp on PostgreSQL of three machines."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.resilience.clients import Client
from tests.resilience.deployment import Deployment
from tests.resilience.scenario import DATABASE_TIMEOUT_SECONDS, NAMES, Node, Scenario
from tests.resilience.stepped_clock import step
from tests.support.patroni_cluster import PASSWORD, PatroniCluster, leader_proxy, patroni_cluster
from tests.support.pgbouncer import PROGRAM, pgbouncer


class PatroniScenario(Scenario):
    """Failures of the leader; the first node reaches it through HAProxy, the second one names the three servers.

    Attributes:
        outages: seconds until each node stamped again, by the way in which it was found.
    """

    def __init__(self, deployment: Deployment, token: str, cluster: PatroniCluster, wall: Path, seed: int) -> None:
        super().__init__(deployment, token, wall, seed)
        self.cluster = cluster
        self.outages: list[dict[str, float]] = []

    def kill_leader(self) -> str:
        """Kill the machine of the leader, wait until both nodes stamp again, and start it again."""
        leader = self.cluster.leader()
        begun = time.monotonic()
        leader.kill()
        self.wait_for_rejections()
        self.wait_for_stamps()
        self.outages.append({node.name: self._until_stamp(node, begun) for node in self.nodes})
        following = self.cluster.next_leader(leader)
        self.cluster.restart(leader)
        returned = time.monotonic() - begun
        self.wait_for_stamps()
        told = f"killed {leader.name}; {following.name} leads; {self._told()}"
        return f"{told}; {leader.name} follows after {returned:.1f} s"

    def hang_leader(self) -> str:
        """Let Patroni of the leader hang: another one leads, while PostgreSQL of the former leader goes on.

        HAProxy leaves the former leader at once; libpq may take it for the leader until its Patroni goes on.
        """
        leader = self.cluster.leader()
        proxied, named = self.nodes
        begun = time.monotonic()
        leader.suspend_patroni()
        following = self.cluster.next_leader(leader)
        promoted = time.monotonic() - begun
        seconds = {proxied.name: self._until_stamp(proxied, begun)}
        leader.resume_patroni()
        seconds[named.name] = self._until_stamp(named, begun)
        self.outages.append(seconds)
        self.cluster.wait_for_members()
        self.wait_for_stamps()
        return f"Patroni of {leader.name} hung; {following.name} leads after {promoted:.1f} s; {self._told()}"

    def _until_stamp(self, node: Node, begun: float) -> float:
        """Return when the node has stamped a new invoice."""
        [order] = self.orders.distinct(1)
        client = Client(node.server.address, self._token)
        self.answer_log.answers.append(client.send_until_settled(order))
        client.close()
        return time.monotonic() - begun

    def _told(self) -> str:
        return ", ".join(f"node {name} stamps after {seconds:.1f} s" for name, seconds in self.outages[-1].items())

    def _other_actions(self) -> list[str]:
        return ["kill_leader", "hang_leader"]


@contextmanager
def patroni_scenario(folder: Path, seed: int) -> Iterator[PatroniScenario]:
    """Yield two running nodes without clients; the first one has PgBouncer before HAProxy, where it is installed."""
    with ExitStack() as stack:
        cluster = stack.enter_context(patroni_cluster())
        port = stack.enter_context(leader_proxy(cluster, folder))
        if PROGRAM:
            pooler = stack.enter_context(pgbouncer(port, login=f"user=timbra password={PASSWORD}"))
            port = pooler.port
        deployment = Deployment(folder / "node", cluster.url, DATABASE_TIMEOUT_SECONDS)
        wall = folder / "wall"
        step(wall, 0)
        scenario = PatroniScenario(deployment, deployment.seed(), cluster, wall, seed)
        through = f"postgresql+psycopg://timbra:{PASSWORD}@127.0.0.1:{port}/timbra"
        for name, url in zip(NAMES, (through, cluster.url), strict=True):
            scenario.nodes.append(scenario.start_node(name, url))
        stack.callback(scenario.close_nodes)
        stack.callback(scenario.stop_clients)
        yield scenario
