"""The measurements of the benchmark."""

from __future__ import annotations

import compileall
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from bench import cpu_affinity, in_process, rsa_limits, sealing
from bench.fixtures import Prepared, request, sealed, unsealed
from bench.interleaved_rounds import Figure, Speed, percentile, timed
from bench.load import HEALTH, Connection, Load
from bench.plan import Plan
from bench.server_process import Served, served

import timbra
from timbra.app.composition import Container
from timbra.documents.build import document_index
from timbra.operations.build import operations_services

SIGN, LIMIT = "RSA-2048 signatures", "two signatures (the limit)"
INSIDE = {"issue v1 in process, no store": "v1", "issue v4 in process, no store": "v4"}
OVER_HTTP = {"issue v1": "/cfdi33/issue/v1", "issue v4": "/cfdi33/issue/v4", "stamp v1": "/cfdi33/stamp/v1"}
SEED = 4
DELIVERY_SECONDS = 60
UNLOADED = 200


@dataclass(frozen=True)
class Row:
    """Rate per second, and its share of the limit measured in the same rounds, by wall time and by processor time."""

    name: str
    rate: Figure
    share: Figure
    cpu_share: Figure


@dataclass(frozen=True)
class Bench:
    """The common inputs of the measurements.

    Attributes:
        container: over the same folder as the measured servers; it writes nothing.
    """

    plan: Plan
    container: Container
    prepared: Prepared


@dataclass(frozen=True)
class Variant:
    """How the requests of a table are made.

    Attributes:
        label: what the names of its rows end with.
        connections: kept-alive connections of the load, which has one request in progress on each.
        environment: settings of the server.
        inside: whether issuing in process, and sealing, are measured too.
    """

    label: str
    connections: int
    environment: Mapping[str, str] = field(default_factory=dict)
    inside: bool = False


def rates(bench: Bench, server: Served, workers: int, variant: Variant) -> list[Row]:
    """Measure the limit, and requests over HTTP with a durable store, in interleaved rounds."""
    plan = bench.plan
    found: dict[str, list[Speed]] = defaultdict(list)
    with Load(server.address, variant.connections, workers) as load:
        tasks = dict(_tasks(bench, server, load, variant))
        for number in range(plan.rounds + 1):
            for name, task in tasks.items():
                speed = task()
                if number:
                    found[name].append(speed)
    named = {name + variant.label if name in OVER_HTTP else name: speeds for name, speeds in found.items()}
    return [_row(name, speeds, found[LIMIT]) for name, speeds in named.items()]


def _tasks(bench: Bench, server: Served, load: Load, variant: Variant) -> Iterator[tuple[str, Callable[[], Speed]]]:
    plan, container, prepared = bench.plan, bench.container, bench.prepared
    here = [
        (SIGN, rsa_limits.one_signature(prepared), plan.pairs),
        (LIMIT, rsa_limits.two_signatures(container, prepared), plan.pairs),
    ]
    if variant.inside:
        here += [
            ("timbra seals it", sealing.by_timbra(container, prepared), plan.calls),
            ("satcfdi seals it", sealing.by_satcfdi(container, prepared), plan.calls),
        ]
        here += [
            (name, in_process.issuing(container, prepared, version), plan.calls) for name, version in INSIDE.items()
        ]
    for name, work, count in here:
        yield name, _pinned(bench, work, count)
    plain, signed = unsealed(container), sealed(container, prepared)
    for name, path in OVER_HTTP.items():
        if plan.is_whole or name != "issue v4":
            yield name, over_http(bench, server, load, path, signed if "stamp" in name else plain)


def _pinned(bench: Bench, work: Callable[[], object], count: int) -> Callable[[], Speed]:
    def task() -> Speed:
        _await_delivery(bench)
        with cpu_affinity.running_on(cpu_affinity.SERVER):
            return timed(work, count)

    return task


def over_http(bench: Bench, server: Served, load: Load, path: str, documents: Iterator[bytes]) -> Callable[[], Speed]:
    """Return what sends the requests of one round, with the processor time of the server."""

    def task() -> Speed:
        with cpu_affinity.running_on(cpu_affinity.LOAD):
            requests = _requests(bench, path, documents, bench.plan.requests)
            _await_delivery(bench)
            before = server.cpu_seconds()
            seconds, _ = load.run(requests)
            return Speed(len(requests), seconds, server.cpu_seconds() - before)

    return task


def _await_delivery(bench: Bench) -> None:
    """Wait until the server has done what follows the stamps of the previous round: delivery, and words of searches."""
    deadline = time.monotonic() + DELIVERY_SECONDS
    index = bench.container.get(document_index)
    while bench.container.get(operations_services).outbox.size() or not index.is_complete():
        if time.monotonic() > deadline:
            raise RuntimeError("the server does not deliver its stamps")
        time.sleep(0.05)


def _requests(bench: Bench, path: str, documents: Iterator[bytes], count: int) -> list[bytes]:
    return [request(path, bench.prepared.token, xml) for xml in islice(documents, count)]


def _row(name: str, speeds: list[Speed], limit: list[Speed]) -> Row:
    pairs = list(zip(speeds, limit, strict=True))
    return Row(
        name,
        Figure.of([speed.rate for speed in speeds]),
        Figure.of([speed.rate / least.rate for speed, least in pairs]),
        Figure.of([speed.cpu_rate / least.cpu_rate for speed, least in pairs]),
    )


@dataclass(frozen=True)
class Paced:
    """Latency in milliseconds at a fixed rate of random (Poisson) requests that do not wait for each other.

    Attributes:
        requests: number of requests of all windows.
        p50, p99: percentiles of each window.
        unloaded: median of sequential requests on one connection, where it is measured.
    """

    name: str
    rate: float
    requests: int
    p50: Figure
    p99: Figure
    unloaded: float = 0.0


def unloaded(bench: Bench, server: Served, name: str) -> float:
    """Return the median latency in milliseconds of sequential requests on one connection."""
    documents = _documents(bench, name)
    with cpu_affinity.running_on(cpu_affinity.LOAD), Load(server.address, 1) as load:
        _await_delivery(bench)
        _, alone = load.run(_requests(bench, OVER_HTTP[name], documents, UNLOADED))
    return percentile(alone, 0.5) * 1000


def paced(bench: Bench, server: Served, name: str, rate: float, windows: int, seconds: float) -> Paced:
    """Measure latency at a rate in requests per second.

    It is measured in several windows, one after the other: one pause of the machine, which serves others too, makes the
    99th percentile of the window in which it falls.
    """
    jitter, documents = random.Random(SEED), _documents(bench, name)
    with cpu_affinity.running_on(cpu_affinity.LOAD), Load(server.address, bench.plan.paced_connections) as load:
        arrivals = [_arrivals(jitter, rate, seconds) for _ in range(windows)]
        requests = [_requests(bench, OVER_HTTP[name], documents, len(due)) for due in arrivals]
        _await_delivery(bench)
        found = [load.run(sent, due)[1] for sent, due in zip(requests, arrivals, strict=True)]
    p50, p99 = (Figure.of([percentile(one, share) * 1000 for one in found]) for share in (0.5, 0.99))
    return Paced(name, rate, sum(map(len, found)), p50, p99)


def _documents(bench: Bench, name: str) -> Iterator[bytes]:
    return sealed(bench.container, bench.prepared) if "stamp" in name else unsealed(bench.container)


CALM_MILLISECONDS = 20


def saturation(bench: Bench, server: Served, name: str, peak: float) -> tuple[Paced | None, Paced | None]:
    """Return the latency at the highest rate whose 99th percentile is below 20 ms, and at the least that has a longer.

    The rates are tried by bisection, which takes the percentile to grow with the rate. None: no tried rate is such.

    Args:
        peak: the measured rate, of which the tried rates are shares.
    """
    plan, shares = bench.plan, bench.plan.saturation_shares
    calm: Paced | None = None
    longer: Paced | None = None
    low, high = 0, len(shares)
    while low < high:
        middle = (low + high) // 2
        rate = peak * shares[middle]
        found = paced(bench, server, name, rate, plan.saturation_windows, plan.saturation_seconds)
        if found.p99.middle < CALM_MILLISECONDS:
            calm, low = found, middle + 1
        else:
            longer, high = found, middle
    return calm, longer


def _arrivals(jitter: random.Random, rate: float, seconds: float) -> list[float]:
    """Return the times at which random (Poisson) requests arrive within that time."""
    due, at = [], 0.0
    while (at := at + jitter.expovariate(rate)) < seconds:
        due.append(at)
    return due


def cold_starts(bench: Bench) -> tuple[Figure, Figure]:
    """Measure the seconds from the spawning of a server to the last byte of /health, and of a first stamp.

    The modules are compiled before, as those of an installed package are.
    """
    compileall.compile_dir(Path(timbra.__file__).parent, quiet=1)
    health, stamp = [], []
    documents = unsealed(bench.container)
    for _ in range(bench.plan.cold_starts):
        [issue] = _requests(bench, OVER_HTTP["issue v4"], documents, 1)
        with served(bench.prepared.data, cpu_affinity.SERVER) as server:
            connection = Connection(server.address)
            connection.exchange(HEALTH)
            health.append(time.perf_counter() - server.begun)
            if not connection.exchange(issue).startswith(b"HTTP/1.1 200"):
                raise RuntimeError("the first stamp was rejected")
            stamp.append(time.perf_counter() - server.begun)
            connection.socket.close()
    return Figure.of(health), Figure.of(stamp)


def growth(bench: Bench) -> dict[int, dict[str, float]]:
    """Return the microseconds of each stage, by number of concepts."""
    with cpu_affinity.running_on(cpu_affinity.SERVER):
        in_process.stages(bench.container, bench.prepared, 1, 20)
        return {
            concepts: in_process.stages(bench.container, bench.prepared, concepts, repeats)
            for concepts, repeats in bench.plan.repeats.items()
        }
