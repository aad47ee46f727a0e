"""Tables of docs/scaling.md: what was measured, and what follows from it by arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.bulk.rounds import Round, Way
from bench.bulk.way import IN_PROCESS, PROCESSES
from bench.interleaved_rounds import Figure
from bench.report import Sheet

from timbra.bulk.result_folder import PLAN, ResultFolder

MEGABYTE = 1e6
TARGET = 10**9
"""Documents of the arithmetic."""
CORES, MACHINES = 64, 10
CORE_HOUR_USD = 0.04
"""Assumed price."""


@dataclass(frozen=True)
class Sizes:
    """Bytes of a document, of its row in Parquet and of its path in the plan."""

    document: float
    row: float
    plan: float


def sizes(documents: Sequence[Path], results: Path) -> Sizes:
    """Return the averages over all documents, and over the rows of one result folder."""
    folder = ResultFolder(str(results))
    rows = sum(part.documents for part in folder.parts())
    stored = sum(Path(file).stat().st_size for file in folder.files("documents"))
    return Sizes(
        sum(file.stat().st_size for file in documents) / len(documents),
        stored / rows,
        (results / PLAN).stat().st_size / rows,
    )


def of_rounds(ways: Sequence[Way]) -> list[Sheet]:
    """Return the tables of rates and of memory."""
    plain = {way.workers: way.rounds for way in ways if way.kind == IN_PROCESS}
    rows = [
        (
            way.name,
            f"{_documents(way.rounds):,}",
            Figure.of([one.documents / one.workers for one in way.rounds]).text(),
            Figure.of(_shares(way.rounds, plain[1])).text(2),
            Figure.of(_shares(way.rounds, plain[way.workers])).text(2),
            f"{_documents(way.rounds) / sum(one.tree for one in way.rounds):,.0f}",
            f"{_documents(way.rounds) / sum(one.wall for one in way.rounds):,.0f}",
        )
        for way in ways
    ]
    rates = Sheet(
        "Rates",
        (
            "way",
            "documents",
            "documents/s of processor time",
            "share of one process without tables",
            "share of as many",
            "documents/s with the whole tree",
            "documents/s on the clock",
        ),
        rows,
        f"Medians (least-greatest) of {len(plain[1])} rounds in which the ways take turns on the same documents. "
        "Processor time is that of coordinator and workers without their start; the whole tree also has Ray's own "
        "processes. The share is that of the same round. Other work used the machine too: the clock says little.",
    )
    memory = [
        (way.name, *(f"{uss / MEGABYTE:.0f}" for uss in _first_middle_last([one.uss for one in way.rounds])))
        for way in ways
        if way.kind != IN_PROCESS
    ]
    note = "Unique set size of the largest worker in MB, after the first, the middle and the last round."
    return [rates, Sheet("Memory of a worker", ("way", "first", "middle", "last"), memory, note)]


def arithmetic(ways: Sequence[Way], measured: Sizes) -> list[Sheet]:
    """Return the sizes, and the plan for `TARGET` documents at the rate of two processes."""
    two = next(way for way in ways if way.kind == PROCESSES and way.workers == 2)
    rate = median(one.documents / one.workers for one in two.rounds)
    hours = TARGET / rate / 3600
    uss = max(one.uss for one in two.rounds)
    terabytes = TARGET * measured.document / 1e12
    machine_hours = hours / CORES
    rows = [
        ("processor time", f"10^9 / {rate:,.0f}", f"{hours:,.0f} core-hours"),
        (f"one machine of {CORES} cores", f"{hours:,.0f} / {CORES}", f"{machine_hours:.1f} hours"),
        (
            f"{MACHINES} machines of {CORES} cores under Ray",
            f"{hours:,.0f} / {CORES * MACHINES}, at the same share; Ray on several machines was not tried",
            f"{machine_hours / MACHINES:.1f} hours",
        ),
        (
            "reading",
            f"10^9 x {measured.document / 1000:.1f} kB = {terabytes:.1f} TB; in {machine_hours:.1f} hours",
            f"{terabytes * 1e6 / (machine_hours * 3600):,.0f} MB/s",
        ),
        (
            f"memory of {CORES} workers",
            f"{CORES} x {uss / MEGABYTE:.0f} MB",
            f"{CORES * uss / 1e9:.1f} GB",
        ),
        (
            "rows",
            f"10^9 x {measured.row:.0f} bytes for `documents`; with varied parties assume twice as much",
            f"{TARGET * measured.row / 1e12:.1f}-{TARGET * measured.row / 5e11:.1f} TB",
        ),
        ("files", "10^9 / 20,000, for each table", f"{TARGET // 20_000:,}"),
        ("plan", f"{measured.plan:.0f} bytes for each path of the measured run", f"{measured.plan:.0f} GB"),
        (
            "price (assumed rate)",
            f"{hours:,.0f} core-hours at {CORE_HOUR_USD} USD",
            f"{hours * CORE_HOUR_USD:,.0f} USD",
        ),
    ]
    found = [
        ("a document", f"{measured.document:,.0f}"),
        ("its row of `documents` in Parquet", f"{measured.row:,.0f}"),
        ("its path in the plan", f"{measured.plan:,.0f}"),
    ]
    return [
        Sheet("Sizes", ("what", "bytes on average"), found, "Few parties, so that text compresses well."),
        Sheet("Validation of 10^9 documents (arithmetic)", ("quantity", "calculation", "result"), rows),
    ]


def _shares(rounds: Sequence[Round], plain: Sequence[Round]) -> list[float]:
    pairs = zip(rounds, plain, strict=False)  # a stopped measurement has a shorter last round
    return [(one.documents / one.workers) / (other.documents / other.workers) for one, other in pairs]


def _documents(rounds: Sequence[Round]) -> int:
    return sum(one.documents for one in rounds)


def _first_middle_last(values: Sequence[int]) -> tuple[int, int, int]:
    return values[0], values[len(values) // 2], values[-1]
