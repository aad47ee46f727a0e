"""`python -m bench.processes`: issuing with the durable store in one process, and in two on one database.

There is neither HTTP nor a load generator, so that the processes have both cores. Each process issues some invoices
concurrently, as a worker does, so that they share commits; the simulated authority is omitted.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import tempfile
import time
from collections import defaultdict
from multiprocessing.synchronize import Barrier
from pathlib import Path

from bench import cpu_affinity
from bench.fixtures import Prepared, prepare, unsealed
from bench.interleaved_rounds import Figure
from rich.console import Console
from rich.table import Table

from timbra.accounts.build import account_services
from timbra.app.composition import Container, open_container
from timbra.settings import Settings
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampRequest

AT_ONCE = 8
ROUNDS = 5


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.processes", description=__doc__.splitlines()[0])
    parser.add_argument("--stamps", type=int, default=2000, help="of each process in a round")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder:
        prepared = prepare(Path(folder) / "data")
        rates: dict[int, list[float]] = defaultdict(list)
        for _ in range(ROUNDS):
            for count in (1, 2):
                rates[count].append(rate(prepared, count, chosen.stamps))
    table = Table("processes", "stamps/s", "times one")
    for count, found in rates.items():
        shares = Figure.of([one / alone for one, alone in zip(found, rates[1], strict=True)])
        table.add_row(str(count), Figure.of(found).text(), shares.text(2))
    Console().print(table)


def rate(prepared: Prepared, count: int, stamps: int) -> float:
    """Return the stamps per second of that number of processes together, each on a core of its own."""
    context = multiprocessing.get_context("spawn")
    begins = context.Barrier(count + 1)
    workers = [
        context.Process(target=_work, args=(prepared.data, prepared.caller.user, number, stamps, begins))
        for number in range(count)
    ]
    for worker in workers:
        worker.start()
    begins.wait()
    begun = time.perf_counter()
    for worker in workers:
        worker.join()
        if worker.exitcode:
            raise RuntimeError(f"a process ended with exit code {worker.exitcode}")
    return count * stamps / (time.perf_counter() - begun)


def _work(data: Path, user: str, number: int, stamps: int, begins: Barrier) -> None:
    with (
        cpu_affinity.running_on(cpu_affinity.ALL[number : number + 1]),
        open_container(Settings(data=data)) as container,
    ):
        asyncio.run(_issue(container, user, f"{number}-{time.time_ns() % 10**12}-", stamps, begins))


async def _issue(container: Container, user: str, mark: str, stamps: int, begins: Barrier) -> None:
    caller = container.get(account_services).accounts.caller_for(user)
    documents = (xml.replace(b'Folio="', f'Folio="{mark}'.encode(), 1) for xml in unsealed(container))
    await container.get(stamping_services).stamping.issue(StampRequest(caller, next(documents), "bench"))
    begins.wait()

    async def some(count: int) -> None:
        for _ in range(count):
            await container.get(stamping_services).stamping.issue(StampRequest(caller, next(documents), "bench"))

    await asyncio.gather(*(some(stamps // AT_ONCE) for _ in range(AT_ONCE)))


if __name__ == "__main__":
    main()
