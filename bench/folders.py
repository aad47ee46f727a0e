"""`python -m bench.folders`: `timbra validate` of a folder, by number of processes, beside validation in process.

The same checks run in all of them, and give equal reports. The share compares with `ValidationService.validate` of
documents in memory, in a run of the event loop for each. The second row is that of one run for all documents, which
`bench.bulk` compares with, and which is faster. The command also lists and reads the files, and makes and prints the
lines; with several processes it also transfers them.

The rounds take turns. The start of the command is measured with a small folder and subtracted, so that the figures do
not depend on the size of the folder; the table has it in a column of its own.
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

from timbra.app.composition import Container, open_container
from timbra.cli.serve import freeze_objects
from timbra.core.cpus import usable_cpus
from timbra.settings import Settings
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampRequest
from timbra.validation.build import validation_services
from timbra.validation.folders import CHUNK

DIFFERENT = 100
FILES = 4_000
ROUNDS = 5
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
    starts: dict[int, list[Seconds]] = {count: [] for count in counts}
    here: list[float] = []
    in_one_run: list[float] = []
    with tempfile.TemporaryDirectory(prefix="timbra-bench-") as name:
        folder = _folder(Path(name) / "all", documents, FILES)
        # A process starts with its first chunk.
        small = {count: _folder(Path(name) / str(count), documents, count * CHUNK) for count in counts}
        for _ in range(ROUNDS):
            here.append(_in_process(container, documents))
            in_one_run.append(_in_one_run(container, documents))
            for count in counts:
                starts[count].append(_command(prepared, small[count], count))
                spent[count].append(_command(prepared, folder, count))
    rate = FILES / min(here)
    faster = FILES / min(in_one_run)
    rows = [
        ("in process", f"{rate:,.0f}", "", "1.00", ""),
        ("in process, one run of the event loop", f"{faster:,.0f}", "", f"{faster / rate:.2f}", ""),
    ]
    for count, times in spent.items():
        start, whole, files = _least(starts[count]), _least(times), FILES - count * CHUNK
        wall, processor = whole[0] - start[0], whole[1] - start[1]
        label = "timbra validate, 1 process" if count == 1 else f"timbra validate, {count} processes"
        share = files / processor / rate
        rows.append((label, f"{files / processor:,.0f}", f"{files / wall:,.0f}", f"{share:.2f}", _text(start)))
    note = (
        f"{FILES:,} stamped invoices of three concepts, JSON lines, without the status; the best of {ROUNDS} rounds. "
        f"The share is by processor time; the goal is {GOAL}. The start of the command is not in the rates."
    )
    columns = ("what", "per second and core", "per second", "share of the rate in process", "start, s (processor)")
    return Sheet("Validation of a folder", columns, rows, note)


def _folder(folder: Path, documents: list[bytes], files: int) -> Path:
    """Write a folder of that many files."""
    folder.mkdir()
    for number, xml in enumerate(islice(cycle(documents), files)):
        (folder / f"{number}.xml").write_bytes(xml)
    return folder


def _least(times: list[Seconds]) -> Seconds:
    return min(wall for wall, _ in times), min(processor for _, processor in times)


def _text(start: Seconds) -> str:
    return f"{start[0]:.2f} ({start[1]:.2f})"


def _stamped(container: Container, prepared: Prepared) -> list[bytes]:
    documents = unsealed(container)
    requests = (StampRequest(prepared.caller, next(documents), "bench") for _ in range(DIFFERENT))
    with asyncio.Runner() as runner:
        return [
            runner.run(container.get(stamping_services).stamping.issue(request)).cfdi.encode() for request in requests
        ]


def _in_process(container: Container, documents: list[bytes]) -> float:
    """Return the processor time of as many documents as the folder has."""
    validation = container.get(validation_services).validation
    with asyncio.Runner() as runner:
        begun = time.process_time()
        for xml in islice(cycle(documents), FILES):
            if runner.get_loop().run_until_complete(validation.validate(xml, False)).wrong:
                raise RuntimeError("a document is wrong")
        return time.process_time() - begun


def _in_one_run(container: Container, documents: list[bytes]) -> float:
    """Return the processor time of as many documents as the folder has, in one run of the event loop."""
    validation = container.get(validation_services).validation

    async def validate() -> None:
        for xml in islice(cycle(documents), FILES):
            if (await validation.validate(xml, False)).wrong:
                raise RuntimeError("a document is wrong")

    with asyncio.Runner() as runner:
        begun = time.process_time()
        runner.get_loop().run_until_complete(validate())
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
