"""`python -m bench.large_documents`: latency of small stamps while a large document is under way, and JSON beside XML.

A server with one worker and default settings gets small invoices at random times, first alone, then while another
client sends documents of 4 MB one after another. The ratios are those of the same run.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Any

from bench import cpu_affinity
from bench.fixtures import Prepared, prepare, request, unsealed
from bench.interleaved_rounds import percentile
from bench.load import Connection, Load
from bench.report import Sheet, write_json
from bench.server_process import Served, served
from lxml import etree
from rich.console import Console

from timbra.app.composition import Container, open_container
from timbra.settings import Settings

CONCEPTS = 10_000
"""Concepts of a document of 4 MB."""
RATE = 40.0
"""Small invoices per second."""
SMALL, ISSUE, ISSUE_JSON, VALIDATE = "alone", "XML, issue", "JSON, issue", "XML, validation"
PATHS = {
    ISSUE: "/cfdi33/issue/v1",
    ISSUE_JSON: "/cfdi33/issue/json/v1",
    VALIDATE: "/validate/cfdi?validatestatus=false",
}
DIFFERENT = 8
"""Different large documents of a kind; a seal is issued once, so that they are not sent again."""
TURNS = 20
"""Documents of each kind whose processor time is measured."""
SEED = 4
LISTS = ("Conceptos", "Traslados", "Retenciones")
"""Elements that are arrays in JSON."""


@dataclass(frozen=True)
class Beside:
    """Latency of small stamps, in milliseconds.

    Attributes:
        documents: large documents that were answered meanwhile.
        seconds: median time of one of them.
    """

    p50: float
    p99: float
    requests: int
    documents: int
    seconds: float


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.large_documents", description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=15, help="of each measurement")
    parser.add_argument("--cores", type=int, default=1, help="for the server; the load has the next one")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    chosen = parser.parse_args()
    console = Console()
    with tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder:
        sheets = list(sheets_of(prepare(Path(folder) / "data"), chosen.seconds, cpu_affinity.ALL[: chosen.cores]))
    for sheet in sheets:
        sheet.show(console)
    if chosen.json:
        write_json(chosen.json, sheets)


def sheets_of(prepared: Prepared, seconds: float, cores: tuple[int, ...] = cpu_affinity.SERVER) -> Iterator[Sheet]:
    """Measure and return the tables."""
    with open_container(Settings(data=prepared.data)) as container, served(prepared.data, cores) as server:
        senders = {name: _large_requests(container, prepared, name) for name in PATHS}
        for large in senders.values():
            _send(server.address, large[:1], 0)  # starts the child processes
        found = {SMALL: _beside(container, prepared, server, [], seconds)}
        for name, large in senders.items():
            found[name] = _beside(container, prepared, server, large[1:], seconds)
        yield _latencies(found)
        yield _costs(_cost(server, {name: _large_requests(container, prepared, name, TURNS) for name in PATHS}))


def _beside(container: Container, prepared: Prepared, server: Served, large: list[bytes], seconds: float) -> Beside:
    """Measure small stamps while another process sends large documents, one after another."""
    jitter = random.Random(SEED)
    due, at = [], 0.0
    while (at := at + jitter.expovariate(RATE)) < seconds:
        due.append(at)
    documents = unsealed(container)
    small = [request(PATHS[ISSUE], prepared.token, xml) for xml in islice(documents, len(due))]
    ours, theirs = multiprocessing.Pipe()
    sender = multiprocessing.get_context("fork").Process(
        target=lambda: theirs.send(_send(server.address, large, seconds) if large else [])
    )
    with cpu_affinity.running_on(cpu_affinity.LOAD), Load(server.address, 16) as load:
        sender.start()
        _, latencies = load.run(small, due)
    durations: list[float] = ours.recv()
    sender.join()
    p50, p99 = (percentile(latencies, share) * 1000 for share in (0.5, 0.99))
    return Beside(p50, p99, len(small), len(durations), median(durations) if durations else 0.0)


def _send(address: str, large: list[bytes], seconds: float) -> list[float]:
    """Send documents one after another for so long, at least one; return the seconds of each answer."""
    durations: list[float] = []
    connection, begun = Connection(address), time.perf_counter()
    for content in large:
        sent = time.perf_counter()
        answer = connection.exchange(content)
        if not answer.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(answer[-1000:].decode(errors="replace"))
        durations.append(time.perf_counter() - sent)
        if time.perf_counter() - begun > seconds:
            break
    connection.socket.close()
    return durations


def _large_requests(container: Container, prepared: Prepared, name: str, count: int = DIFFERENT) -> list[bytes]:
    documents = list(islice(unsealed(container, CONCEPTS), count))
    if name == ISSUE_JSON:
        return [_json_request(prepared.token, as_json(xml)) for xml in documents]
    made = [request(PATHS[name], prepared.token, xml) for xml in documents]
    # A validation changes nothing, so that the documents can be sent again.
    return list(islice(cycle(made), 20 * count)) if name == VALIDATE else made


def as_json(xml: bytes) -> bytes:
    """Return the CFDI as a JSON object."""
    return json.dumps(_members(etree.fromstring(xml)), ensure_ascii=False).encode()


def _members(element: etree._Element) -> dict[str, Any]:
    attributes = {str(name): value for name, value in element.attrib.items()}
    members: dict[str, Any] = {name: value for name, value in attributes.items() if not name.startswith("{")}
    for child in element:
        name = etree.QName(child).localname
        members[name] = [_members(each) for each in child] if name in LISTS and not child.attrib else _members(child)
    return members


def _json_request(token: str, body: bytes) -> bytes:
    head = (
        f"POST {PATHS[ISSUE_JSON]} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/jsontoxml\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _cost(server: Served, large: Mapping[str, list[bytes]]) -> dict[str, float]:
    """Return the seconds of processor time, of the worker and its children, for a document of each kind.

    The kinds take turns, so that a busy moment of the machine does not fall on one of them. The system counts in steps
    of 10 ms: a mean, not a median.
    """
    spent = dict.fromkeys(large, 0.0)
    for turn in range(TURNS):
        for name, documents in large.items():
            before = _tree_seconds(server)
            _send(server.address, [documents[turn]], 0)
            spent[name] += _tree_seconds(server) - before
    return {name: seconds / TURNS for name, seconds in spent.items()}


def _tree_seconds(server: Served) -> float:
    times = [each.cpu_times() for each in (server.process, *server.process.children(recursive=True))]
    return float(sum(one.user + one.system for one in times))


def _latencies(found: dict[str, Beside]) -> Sheet:
    alone = found[SMALL]
    rows = [
        (
            name,
            f"{one.p50:.2f}",
            f"{one.p99:.2f}",
            f"{one.p50 / alone.p50:.2f}",
            f"{one.p99 / alone.p99:.2f}",
            str(one.documents),
            f"{one.seconds:.2f}",
        )
        for name, one in found.items()
    ]
    note = (
        f"Invoices of three concepts, issued at {RATE:g} a second at random times ({alone.requests} in each row), "
        f"while another client sends documents of {CONCEPTS:,} concepts (4 MB) one after another."
    )
    columns = ("beside", "p50 ms", "p99 ms", "p50 / alone", "p99 / alone", "large documents", "seconds of one")
    return Sheet("Small stamps beside a large document", columns, rows, note)


def _costs(found: dict[str, float]) -> Sheet:
    rows = [(name, f"{seconds:.3f}", f"{seconds / found[ISSUE]:.2f}") for name, seconds in found.items()]
    return Sheet("Processor time of a document of 4 MB", ("what", "seconds", "times XML, issue"), rows)


if __name__ == "__main__":
    main()
