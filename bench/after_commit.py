"""`python -m bench.after_commit`: processor time of what follows the commit of a stamp, in one process.

The stamps are written to a database of their own, without the requests that make them. Measured are the transparency
log, the deliveries to the simulated authority, the words of searches, and checkpoints of SQLite.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from uuid import uuid4

from bench.fixtures import Prepared, prepare, unsealed
from bench.in_process import AlwaysStored
from bench.interleaved_rounds import Figure
from rich.console import Console
from rich.table import Table

from timbra.app.composition import Container, open_container
from timbra.database.build import opened_database
from timbra.delivery.pace import OWN_PROCESS
from timbra.delivery.ports import authority_work, delivery_pace
from timbra.documents.build import document_index
from timbra.events.dispatcher import EventDispatcher
from timbra.sandbox.build import sandbox_services
from timbra.settings import Settings
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampRequest
from timbra.stamping.stamping import StampingService
from timbra.stamps.build import database_stamps
from timbra.stamps.port import Claim, Outcome, StampRecord
from timbra.transparency.build import transparency_log
from timbra.transparency.consumer import log_consumer

STAMPS, ROUNDS = 5_120, 3
STAMPS_OF_COMMIT = 16
_FOLIO = re.compile(rb'Folio="(\d{10})"')
_NUMBERS = count(1)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.after_commit", description=__doc__.splitlines()[0])
    parser.add_argument("--stamps", type=int, default=STAMPS, help="of a round")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--database", default="", help="an empty PostgreSQL database; SQLite without it")
    chosen = parser.parse_args()
    spent: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder:
        prepared = prepare(Path(folder) / "data", chosen.database)
        with open_container(Settings(data=prepared.data, database_url=chosen.database)) as container:
            pattern = asyncio.run(stamped(container, prepared))
            for _ in range(chosen.rounds):
                _store(container, pattern, chosen.stamps)
                for name, work in _works(container):
                    spent[name].append(_microseconds(work, chosen.stamps))
    table = Table("processor time of a stamp", "us", "rounds")
    for name, found in spent.items():
        table.add_row(name, Figure.of(found).text(1), " ".join(f"{one:.1f}" for one in found))
    Console().print(table)


def _works(container: Container) -> Iterator[tuple[str, Callable[[], object]]]:
    database = container.get(opened_database)
    yield "checkpoint after the claims", database.checkpoint
    yield "leaves of the transparency log", EventDispatcher(database, [log_consumer(database)], container.wall).run
    yield "its signed checkpoint", container.get(transparency_log).run
    container.bindings[delivery_pace] = lambda _: replace(OWN_PROCESS, rest=0.0)
    yield "deliveries", container.get(authority_work).deliver
    yield "checkpoint after the deliveries", container.get(opened_database).checkpoint
    yield "words of searches", container.get(document_index).index
    yield "checkpoint after the words", container.get(opened_database).checkpoint


def _microseconds(work: Callable[[], object], stamps: int) -> float:
    begun = time.process_time()
    work()
    return (time.process_time() - begun) / stamps * 1e6


async def stamped(container: Container, prepared: Prepared) -> StampRecord:
    """Issue one invoice without storing it."""
    store = _LastClaim()
    provider = container.get(sandbox_services).authority_ca.provider
    stamping = StampingService(container.get(stamping_services).checks, lambda: provider, store, "sandbox")
    await stamping.issue(StampRequest(prepared.caller, next(unsealed(container)), "bench"))
    return store.claimed[-1].record


class _LastClaim(AlwaysStored):
    """A claim store that keeps the claims in memory."""

    def __init__(self) -> None:
        self.claimed: list[Claim] = []

    async def claim(self, claim: Claim) -> Outcome:
        """Accept the stamp."""
        self.claimed.append(claim)
        return await super().claim(claim)


def _store(container: Container, pattern: StampRecord, stamps: int) -> None:
    """Store copies of a stamp that differ in folio, Folio and seal."""
    made = (copied(pattern) for _ in range(stamps))
    while batch := list(islice(made, STAMPS_OF_COMMIT)):
        container.get(database_stamps).claim(batch)


def copied(pattern: StampRecord) -> Claim:
    uuid, folio = str(uuid4()), f"{next(_NUMBERS):010d}"
    cfdi = pattern.cfdi.replace(pattern.uuid.encode(), uuid.encode())
    cfdi = _FOLIO.sub(f'Folio="{folio}"'.encode(), cfdi, count=1)
    return Claim(replace(pattern, uuid=uuid, folio=folio, seal_hash=os.urandom(32), cfdi=cfdi))


if __name__ == "__main__":
    main()
