"""`python -m bench.folders`: `timbra validate` of a folder, by number of processes, beside validation in process.

The rounds take turns. The start of the command is measured with one document and subtracted, so that the figures do not
depend on the size of the folder; the table has it in a column of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from bench.fixtures import Prepared, prepare, unsealed
from bench.report import Sheet, write_json
from rich.console import Console

from timbra.bootstrap import Container, open_container
from timbra.cli.operations.cpus import usable_cpus
from timbra.cli.operations.serve import freeze_objects
from timbra.service.stamping.models import StampRequest
from timbra.settings import Settings

DIFFERENT = 100
FILES = 3_000
ROUNDS = 3
GOAL = 0.85
"""Share of the rate in process that the command should reach on each core."""

Seconds = tuple[float, float]
"""Wall time and processor time."""


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.folders", description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder:
        prepared = prepare(Path(folder) / "data")
        with open_container(Settings(data=prepared.data)) as container:
            sheet = sheet_of(container, prepared)
    sheet.show(Console())
    if chosen.json:
        write_json(chosen.json, [sheet])


def sheet_of(container: Container, prepared: Prepared) -> Sheet:
    """Measure and return the table."""
    documents = _stamped(container, prepared)
    freeze_objects()
    cores = usable_cpus()
    counts = sorted({1, cores})
    spent: dict[int, list[Seconds]] = {count: [] for count in counts}
    starts: list[Seconds] = []
    here: list[float] = []
    with tempfile.TemporaryDirectory(prefix="timbra-bench-") as name:
        folder = Path(name)
        for number, xml in enumerate(islice(cycle(documents), FILES)):
            (folder / f"{number}.xml").write_bytes(xml)
        for _ in range(ROUNDS):
            here.append(_in_process(container, documents))
            starts.append(_command(prepared, folder / "0.xml", 1))
            for count in counts:
                spent[count].append(_command(prepared, folder, count))
    start = min(wall for wall, _ in starts), min(processor for _, processor in starts)
    rate = FILES / min(here)
    rows = [("in process", f"{rate:,.0f}", "", "1.00", "")]
    for count, times in spent.items():
        wall = min(each for each, _ in times) - start[0]
        # Each process starts once; the command counts the processor time of all.
        processor = min(each for _, each in times) - start[1] * count
        label = "timbra validate, 1 process" if count == 1 else f"timbra validate, {count} processes"
        share = FILES / processor / rate
        rows.append((label, f"{FILES / processor:,.0f}", f"{FILES / wall:,.0f}", f"{share:.2f}", _text(start)))
    note = (
        f"{FILES:,} stamped invoices of three concepts, JSON lines, without the status; the best of {ROUNDS} rounds that "
        f"take turns. The share is by processor time; the goal is {GOAL}. The start of the command is not in the rates."
    )
    columns = ("what", "per second and core", "per second", "share of the rate in process", "start, s (processor)")
    return Sheet("Validation of a folder", columns, rows, note)


def _text(start: Seconds) -> str:
    return f"{start[0]:.2f} ({start[1]:.2f})"


def _stamped(container: Container, prepared: Prepared) -> list[bytes]:
    documents = unsealed(container)
    requests = (StampRequest(prepared.caller, next(documents), "bench") for _ in range(DIFFERENT))
    with asyncio.Runner() as runner:
        return [runner.run(container.stamping_services.stamping.issue(request)).cfdi.encode() for request in requests]


def _in_process(container: Container, documents: list[bytes]) -> float:
    """Return the processor time of as many documents as the folder has."""
    validation = container.validation_services.validation
    with asyncio.Runner() as runner:
        begun = time.process_time()
        for xml in islice(cycle(documents), FILES):
            if runner.run(validation.validate(xml, False)).wrong:
                raise RuntimeError("a document is wrong")
        return time.process_time() - begun


def _command(prepared: Prepared, path: Path, workers: int) -> Seconds:
    command = [sys.executable, "-m", "timbra.cli", "validate", str(path), "--json", "--workers", str(workers)]
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [*command, "--data", str(prepared.data)], stdout=subprocess.DEVNULL, check=True, env=os.environ.copy()
    )
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
