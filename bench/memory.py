"""`python -m bench.memory`: private memory of each process of a server over many stamps and validations."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from bench import cpu_affinity
from bench.fixtures import Prepared, prepare, request, sealed, unsealed
from bench.load import Load
from bench.server_process import Served, served
from bench.validating import PATH
from rich.console import Console
from rich.table import Table

from timbra.app.composition import Container, open_container
from timbra.settings import Settings

KIBIBYTE = 1024
SETTLED = 10_000
"""Requests after which caches are full: growth counts from there."""
VALIDATED = 500
"""Different documents of the validations."""
CONNECTIONS = 8
BATCH = 500


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.memory", description=__doc__.splitlines()[0])
    parser.add_argument("--stamps", type=int, default=50_000)
    parser.add_argument("--validations", type=int, default=50_000)
    parser.add_argument("--step", type=int, default=5_000)
    parser.add_argument("--workers", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder:
        prepared = prepare(Path(folder) / "data")
        with (
            open_container(Settings(data=prepared.data)) as container,
            served(prepared.data, cpu_affinity.ALL, chosen.workers) as server,
            Load(server.address, CONNECTIONS, chosen.workers) as load,
        ):
            for name, count, requests in (
                ("stamps", chosen.stamps, _stamps(container, prepared)),
                ("validations", chosen.validations, _validations(container, prepared)),
            ):
                _measure(name, count, chosen.step, requests, load, server)


def _measure(name: str, count: int, step: int, requests: Iterator[bytes], load: Load, server: Served) -> None:
    """Print a row for each step: the KiB of each process, and their growth since `SETTLED`."""
    table = Table(name, *(f"process {process.pid}, KiB" for process in server.processes), "growth, KiB")
    settled: list[int] = []
    for done in range(0, count + 1, step):
        if done:
            for _ in range(step // BATCH):
                load.run(list(islice(requests, BATCH)))
        memory = [process.memory_full_info().uss // KIBIBYTE for process in server.processes]
        if done >= SETTLED and not settled:
            settled = memory
        growth = " ".join(f"{now - then:+,}" for now, then in zip(memory, settled, strict=False))
        table.add_row(f"{done:,}", *(f"{one:,}" for one in memory), growth)
        Console(stderr=True).print(f"{name} {done:,}: {memory} {growth}")
    Console().print(table)


def _stamps(container: Container, prepared: Prepared) -> Iterator[bytes]:
    for xml in unsealed(container):
        yield request("/cfdi33/issue/v1", prepared.token, xml)


def _validations(container: Container, prepared: Prepared) -> Iterator[bytes]:
    documents = islice(sealed(container, prepared), VALIDATED)
    return cycle([request(PATH, prepared.token, xml) for xml in documents])


if __name__ == "__main__":
    main()
