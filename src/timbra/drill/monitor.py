"""What an operator is told during a drill: the readiness of each node, and the alerts over its metrics."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from httpx2 import Client, HTTPError

from timbra.core.bounds import Bound, BoundKind
from timbra.operations.alert_conditions import Samples, read_samples
from timbra.operations.alert_evaluation import AlertEvaluation, FiredAlert
from timbra.operations.alert_rules import ALERT_RULES

SCRAPE_SECONDS = 15
"""Between two queries of the metrics, as deploy/prometheus/prometheus.yaml has it."""
SCRAPE_TIMEOUT_SECONDS = 10
PROBE_SECONDS = 1
PROBE_TIMEOUT_SECONDS = 8
READY = 200


@dataclass(frozen=True, slots=True)
class Probe:
    """A query of /health/ready. status: 0 without an answer; said: what is missing, or the warnings."""

    node: str
    at: float
    status: int
    said: tuple[str, ...]


class Monitor:
    """Queries readiness and metrics of all nodes in threads of its own until it is stopped.

    Attributes:
        usual: What `/health/ready` said before `begin`.
    """

    def __init__(self, nodes: Sequence[tuple[str, str]], token: str, scrape_seconds: float = SCRAPE_SECONDS) -> None:
        """Prepare the queries.

        Args:
            nodes: Name and address of each node.
            token: The token of `/metrics`.
        """
        self._nodes = nodes
        self._token = token
        self._scrape_seconds = scrape_seconds
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._evaluation = AlertEvaluation()
        self._probes: list[Probe] = []
        self.usual: frozenset[str] = frozenset()
        self._threads = [threading.Thread(target=self._watch_alerts, name="drill-alerts", daemon=True)]
        self._threads += [
            threading.Thread(target=self._watch_node, args=node, name=f"drill-probe-{node[0]}", daemon=True)
            for node in nodes
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join(SCRAPE_TIMEOUT_SECONDS + SCRAPE_TIMEOUT_SECONDS)

    def begin(self) -> frozenset[str]:
        """Forget what was before, and begin with a query now; return the alerts that are active without a fault."""
        queried = self._query()
        rules = [rule for rule in ALERT_RULES if self._holds_now(rule.name, queried)]
        names = frozenset(rule.name for rule in rules)
        with self._lock:
            self._evaluation = AlertEvaluation([rule for rule in ALERT_RULES if rule.name not in names])
            self._evaluation.add(time.time(), queried)
            self.usual = frozenset(text for probe in self._probes if probe.status == READY for text in probe.said)
            self._probes.clear()
        return names

    def fired(self) -> Sequence[FiredAlert]:
        """Return the alerts that fired since `begin`."""
        with self._lock:
            return list(self._evaluation.fired)

    def probes(self) -> Sequence[Probe]:
        """Return the queries of the readiness since `begin`."""
        with self._lock:
            return list(self._probes)

    def ready_since(self, instant: float) -> float | None:
        """Return when the last node became ready after an instant, and stayed so; None while one is not."""
        newest = [self._ready_since(name, instant) for name, _ in self._nodes]
        return None if None in newest else max(filter(None, newest))

    def _ready_since(self, name: str, instant: float) -> float | None:
        since = None
        for probe in self.probes():
            if probe.node == name and probe.at > instant:
                since = (since or probe.at) if probe.status == READY else None
        return since

    @staticmethod
    def _holds_now(name: str, queried: Mapping[str, Samples | None]) -> bool:
        evaluation = AlertEvaluation([rule for rule in ALERT_RULES if rule.name == name])
        evaluation.add(time.time(), queried)
        return evaluation.is_active(name)

    def _watch_alerts(self) -> None:
        while not self._stopped.wait(self._scrape_seconds):
            queried = self._query()
            with self._lock:
                self._evaluation.add(time.time(), queried)

    def _query(self) -> Mapping[str, Samples | None]:
        with ThreadPoolExecutor(len(self._nodes)) as pool:
            found = pool.map(self._scrape, (address for _, address in self._nodes))
            return dict(zip((name for name, _ in self._nodes), found, strict=True))

    def _scrape(self, address: str) -> Samples | None:
        headers = {"Authorization": f"Bearer {self._token}"}
        try:
            with Client(headers=headers, timeout=SCRAPE_TIMEOUT_SECONDS, trust_env=False) as client:
                answer = client.get(f"{address}/metrics")
        except HTTPError:
            return None
        return read_samples(answer.text) if answer.status_code == READY else None

    def _watch_node(self, name: str, address: str) -> None:
        while not self._stopped.wait(PROBE_SECONDS):
            probe = self._probe(name, address)
            with self._lock:
                self._probes.append(probe)

    @staticmethod
    def _probe(name: str, address: str) -> Probe:
        # A connection of its own, because any worker may accept it.
        try:
            with Client(timeout=PROBE_TIMEOUT_SECONDS, trust_env=False) as client:
                answer = client.get(f"{address}/health/ready")
            body = answer.json()
        except (HTTPError, ValueError) as error:
            return Probe(name, time.time(), 0, (type(error).__name__,))
        data = body.get("data") or {}
        said = data.get("warnings") or () if answer.status_code == READY else [str(body.get("messageDetail"))]
        return Probe(name, time.time(), answer.status_code, tuple(said))


BOUNDS = (Bound("Monitor", BoundKind.POOL, "1 thread for each node", "A query waits for its node."),)
