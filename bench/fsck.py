"""`python -m bench.fsck`: the check of all stored data, with many stamps whose seals are real.

The stamps are made by the path of plain documents and stored in batches; then everything that follows a stamp runs in
this process: deliveries to the simulated authority, rows of lists, words, states, both logs and digests.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import psutil  # type: ignore[import-untyped]
from bench.fixtures import Prepared, prepare, unsealed
from bench.plain_batches import path_of
from rich.console import Console
from rich.progress import track
from rich.table import Table

from timbra.app.composition import Container, open_container
from timbra.audit.build import audit_log
from timbra.database.build import opened_database
from timbra.delivery.pace import OWN_PROCESS
from timbra.delivery.ports import authority_work, delivery_pace
from timbra.documents.build import document_index, state_consumer
from timbra.events.dispatcher import EventDispatcher
from timbra.fsck.checking import check_all
from timbra.fsck.row_digests import DigestJob
from timbra.settings import Settings
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampingOperation, StampRequest
from timbra.stamping.plain.batches import PlainRequest
from timbra.stamps.build import database_stamps
from timbra.transparency.build import transparency_log
from timbra.transparency.consumer import log_consumer

STAMPS, AT_ONCE = 100_000, 64


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.fsck", description=__doc__.splitlines()[0])
    parser.add_argument("--stamps", type=int, default=STAMPS)
    parser.add_argument("--database", default="", help="an empty PostgreSQL database; SQLite without it")
    parser.add_argument("--folder", type=Path, help="a new folder, which keeps the data")
    chosen = parser.parse_args()
    table = Table("what", "seconds", "processor time, seconds", title=f"{chosen.stamps:,} stamps")
    with tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder:
        prepared = prepare((chosen.folder or Path(folder)) / "data", chosen.database)
        with open_container(Settings(data=prepared.data, database_url=chosen.database)) as container:
            table.add_row("stamps", *_spent(lambda: _store(container, prepared, chosen.stamps)))
            for name, work in _works(container):
                table.add_row(name, *_spent(partial(_until_done, work)))
            table.add_row("check of all data", *_spent(lambda: _check(container)))
    Console().print(table)


def _spent(work: Callable[[], object]) -> tuple[str, str]:
    begun, spent = time.perf_counter(), time.process_time()
    work()
    return f"{time.perf_counter() - begun:,.0f}", f"{time.process_time() - spent:,.0f}"


def _store(container: Container, prepared: Prepared, number: int) -> None:
    stamps, documents = container.get(database_stamps), unsealed(container)
    requests = (StampRequest(prepared.caller, xml, "bench") for xml in documents)
    # The ordinary path reads what the other one needs: lists, and the key of the issuer.
    asyncio.run(container.get(stamping_services).stamping.issue(next(requests)))
    path = path_of(container)
    for _ in track(range(number // AT_ONCE), "stamps", console=Console(stderr=True), transient=True):
        made = path.stamp([PlainRequest(each, StampingOperation.ISSUE) for each in islice(requests, AT_ONCE)])
        stamps.claim([stamp.claim for stamp in made if stamp is not None])
        if None in made:
            raise RuntimeError("a document is not plain")


def _works(container: Container) -> Iterator[tuple[str, Callable[[], object]]]:
    database = container.get(opened_database)
    container.bindings[delivery_pace] = lambda _: replace(OWN_PROCESS, rest=0.0)
    yield "deliveries", container.get(authority_work).deliver
    yield "rows of lists and words", container.get(document_index).index
    consumers = [state_consumer(container), log_consumer(database)]
    yield "events", EventDispatcher(database, consumers, container.wall).run
    yield "audit log", container.get(audit_log).chain.run
    yield "transparency log", container.get(transparency_log).run
    yield "digests", DigestJob(database, container.wall).run


def _until_done(work: Callable[[], object]) -> None:
    while work():
        pass


def _check(container: Container) -> None:
    report = check_all(container)
    console, memory = Console(), psutil.Process().memory_info().rss / 2**20
    console.print(f"{len(report.findings)} findings, {sum(report.rows.values()):,} rows, {memory:,.0f} MiB")
    for finding in report.findings[:20]:
        console.print(finding.code, finding.place, finding.key, finding.column)


if __name__ == "__main__":
    main()
