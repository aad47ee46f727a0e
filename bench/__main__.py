"""`python -m bench`: cost of Timbra, compared with the minimum cost of the same work, in one run on one machine.

--quick: at most two minutes on two quiet cores, one worker on SQLite, less precise figures; the whole run takes at most
20. --write: put the tables into docs/performance.md, and that of other programs into the README. --json FILE: write
every figure to a file.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bench import (
    around,
    cpu_affinity,
    folders,
    growth,
    large_documents,
    measure,
    other_programs,
    plain_batches,
    validating,
)
from bench.fixtures import prepare
from bench.interleaved_rounds import Figure, Speed
from bench.machine import facts
from bench.measure import Bench, Paced, Row, Variant
from bench.plan import QUICK, WHOLE, Plan
from bench.postgresql import new_database
from bench.report import Sheet, write, write_json
from bench.server_process import Served, served
from rich.console import Console

from timbra.app.composition import open_container
from timbra.settings import Settings

ROOT = Path(__file__).parents[1]
DOCUMENT, README = ROOT / "docs" / "performance.md", ROOT / "README.md"
VARIANTS = (
    Variant(", one by one", WHOLE.connections, {"TIMBRA_RSA8": "0", "TIMBRA_FAST_PATH": "off"}, inside=True),
    Variant(", batches, 32 connections", 32, {"TIMBRA_FAST_PATH": "off"}),
    Variant(", fast path, 32 connections", 32),
)
"""Signatures made by OpenSSL one by one, and batches, which fill with many requests in progress."""
CONCERNED = ("issue v1", "stamp v1")
"""Requests whose latency is measured in a whole run; a quick one has the first."""
LARGE_SECONDS = 15.0
"""Duration of each measurement of large documents."""
Saturation = tuple[str, float, Paced | None, Paced | None]
"""Name, peak, and the latency at the highest calm rate and at the next one."""
LOADED = 0.7
"""Share of the measured rate at which latency is measured."""


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two minutes; one worker on SQLite, less precise")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/performance.md")
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    chosen = parser.parse_args()
    console = Console()
    sheets = []
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder:
        for sheet in _sheets(Path(folder), quick=chosen.quick):
            sheet.show(console)
            sheets.append(sheet)
    console.print(f"This run took {(time.monotonic() - begun) / 60:.1f} minutes.")
    if chosen.write:
        write(DOCUMENT, sheets)
        write(README, [each for each in sheets if each.title == other_programs.TITLE], "other programs")
    if chosen.json:
        write_json(chosen.json, sheets)


def _sheets(folder: Path, *, quick: bool) -> Iterator[Sheet]:
    plan = QUICK if quick else WHOLE
    yield _machine(folder, quick=quick)
    prepared = prepare(folder / "data")
    with open_container(Settings(data=prepared.data)) as container:
        bench = Bench(plan, container, prepared)
        if plan.is_whole:
            yield _growth(bench)
            yield _validation_growth(bench)
            yield _around(bench)
            yield plain_batches.sheet_of(bench)
        yield other_programs.sheet_of(bench)
        yield _cold(bench)
        yield from _one_worker(bench, folder)
        if plan.is_whole:
            yield from _two_workers(bench)
            yield folders.sheet_of(container, prepared)
            yield from large_documents.sheets_of(prepared, LARGE_SECONDS)
            yield growth.sheet_of()


def _machine(folder: Path, *, quick: bool) -> Sheet:
    rows = [*facts(folder).items(), ("Placement", cpu_affinity.placement())]
    rows.append(("Form", "quick" if quick else "whole"))
    return Sheet("Machine", ("what", "value"), rows)


def _one_worker(bench: Bench, folder: Path) -> Iterator[Sheet]:
    """Yield the figures of one worker: signatures one by one and in batches, SQLite and PostgreSQL."""
    rows: list[Row] = []
    calm: list[Paced] = []
    highest: list[Saturation] = []
    memory = []
    for variant in VARIANTS:
        with served(bench.prepared.data, cpu_affinity.SERVER, environment=variant.environment) as server:
            at_start = server.memory()
            found = measure.rates(bench, server, 1, variant)
            rows += found if variant.inside else _over_http(found)
            if variant.inside:
                yield _validations(validating.rates(bench, server))
            else:
                highest += _saturation(bench, server, found, variant)
                calm += _latencies(bench, server, found, variant)
            memory.append((variant.label.strip(" ,"), at_start, server.memory()))
    with new_database() as url:
        if url is not None and bench.plan.is_whole:
            further, latencies = _on_postgresql(bench.plan, folder / "postgresql", url)
            rows += further
            calm += latencies
    note = "Durable store on; the log at its default level, to a file. satcfdi and Timbra seal the same documents."
    yield _rates("One worker on one core", rows, bench, note if url else f"{note} No PostgreSQL answered.")
    yield _paced(calm, bench)
    yield _saturations(highest, bench.plan)
    yield _memory(memory)


def _on_postgresql(plan: Plan, data: Path, url: str) -> tuple[list[Row], list[Paced]]:
    """Measure one worker on a database of PostgreSQL; the server of the database runs on the other core."""
    prepared = prepare(data, url)
    rows: list[Row] = []
    calm: list[Paced] = []
    with open_container(Settings(data=data, database_url=url)) as container:
        bench = Bench(plan, container, prepared)
        for variant in VARIANTS:
            if variant.inside:
                continue
            environment = {**variant.environment, "TIMBRA_DATABASE_URL": url}
            with served(data, cpu_affinity.SERVER, environment=environment) as server:
                apart = replace(variant, label=f"{variant.label}, PostgreSQL")
                found = measure.rates(bench, server, 1, apart)
                rows += _over_http(found)
                calm += _latencies(bench, server, found, apart)
    return rows, calm


def _over_http(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row.name.startswith(tuple(measure.OVER_HTTP))]


def _latencies(bench: Bench, server: Served, rows: list[Row], variant: Variant) -> Iterator[Paced]:
    plan, rate_of = bench.plan, {row.name: row.rate.middle for row in rows}
    for name in _told(plan):
        row = name + variant.label
        found = measure.paced(bench, server, name, rate_of[row] * LOADED, plan.paced_windows, plan.paced_seconds)
        yield replace(found, name=row, unloaded=measure.unloaded(bench, server, name))


def _saturation(bench: Bench, server: Served, rows: list[Row], variant: Variant) -> Iterator[Saturation]:
    peaks = {row.name: row.rate.middle for row in rows}
    for name in _told(bench.plan):
        peak = peaks[name + variant.label]
        yield name + variant.label, peak, *measure.saturation(bench, server, name, peak)


def _told(plan: Plan) -> tuple[str, ...]:
    """Return the requests whose latency is measured."""
    return CONCERNED if plan.is_whole else CONCERNED[:1]


def _saturations(found: list[Saturation], plan: Plan) -> Sheet:
    rows = [(name, f"{peak:,.0f}", *_at(calm, peak), *_at(longer, peak)) for name, peak, calm, longer in found]
    note = (
        f"The highest of the tried rates whose 99th percentile is below {measure.CALM_MILLISECONDS} ms, and the least "
        f"whose is not, each with the median (least-greatest) of {plan.saturation_windows} windows of "
        f"{plan.saturation_seconds:g} s; arrivals as in the table of latency."
    )
    columns = ("what", "peak/s", "highest/s", "share of the peak", "p99 ms", "next/s", "share", "its p99 ms")
    return Sheet("Saturation, one worker", columns, rows, note)


def _at(one: Paced | None, peak: float) -> tuple[str, str, str]:
    return ("none", "", "") if one is None else (f"{one.rate:,.0f}", f"{one.rate / peak:.2f}", one.p99.text(1))


def _two_workers(bench: Bench) -> Iterator[Sheet]:
    variant = Variant(", 32 connections", 32)
    with served(bench.prepared.data, cpu_affinity.ALL, 2) as server:
        rows = measure.rates(bench, server, 2, variant)
        note = "The load shares the cores with both workers: read it as a lower bound. The limit is that of one core."
        yield _rates("Two workers", rows, bench, note)
        yield Sheet("Resident (private) MiB of two workers after the run", ("what", "MiB"), [("all", server.memory())])


def _around(bench: Bench) -> Sheet:
    with cpu_affinity.running_on(cpu_affinity.SERVER):
        found = around.microseconds(bench.container, bench.prepared)
    rows = [(name, f"{spent:,.0f}") for name, spent in found.items()]
    note = (
        "Least processor time of a request or a claim. HTTP: parsing, token, routing, multipart, envelope and log, "
        "with a use case that returns a stamp at once, without the system calls of the socket. Claim: SQLite, durable."
    )
    return Sheet("Around the stamp, on one core", ("what", "us"), rows, note)


def _rates(title: str, rows: list[Row], bench: Bench, note: str) -> Sheet:
    plan = bench.plan
    cells = [(row.name, row.rate.text(), row.share.text(2), row.cpu_share.text(2)) for row in rows]
    how = (
        f"Medians (least-greatest) of {plan.rounds} interleaved rounds; three concepts; over HTTP {plan.requests} "
        f"requests a round on kept-alive connections, {plan.connections} for signatures one by one. {note}"
    )
    return Sheet(title, ("what", "per second", "share of the limit", "the same by processor time"), cells, how)


def _paced(found: list[Paced], bench: Bench) -> Sheet:
    rows = [
        (
            one.name,
            f"{one.rate:,.0f}",
            str(one.requests),
            f"{one.p50.middle:.2f}",
            one.p99.text(1),
            f"{one.unloaded:.2f}",
            f"{one.p99.middle / one.unloaded:.1f}",
        )
        for one in found
    ]
    note = (
        f"Medians (least-greatest) of {bench.plan.paced_windows} windows of {bench.plan.paced_seconds:g} s. Requests "
        "arrive at random (Poisson) and do not wait for each other; latency counts from the time when each was due. "
        "Unloaded: sequential requests on one connection."
    )
    return Sheet(
        "Latency at 70 % of the measured rate, one worker",
        ("what", "requests/s", "requests", "p50 ms", "p99 ms", "unloaded p50 ms", "p99 / unloaded p50"),
        rows,
        note,
    )


def _memory(found: list[tuple[str, str, str]]) -> Sheet:
    return Sheet("Resident (private) MiB of one worker", ("what", "ready, before the first request", "after"), found)


def _cold(bench: Bench) -> Sheet:
    health, stamp = measure.cold_starts(bench)
    rows = [
        ("first complete answer of /health", health.text(2)),
        ("first stamp (issue v4), on the same connection", stamp.text(2)),
    ]
    note = f"Spawning `timbra serve` on an existing data folder; median (least-greatest) of {bench.plan.cold_starts}."
    return Sheet("Cold start", ("until", "seconds"), rows, note)


def _growth(bench: Bench) -> Sheet:
    found = measure.growth(bench)
    stages = next(iter(found.values()))
    rows = [(stage, *(f"{found[concepts][stage]:,.0f}" for concepts in found)) for stage in stages]
    totals = {concepts: sum(spent.values()) for concepts, spent in found.items()}
    rows.append(("all stages", *(f"{total:,.0f}" for total in totals.values())))
    each = [
        f"{(total - totals[1]) / (concepts - 1):,.1f}" if concepts > 1 else "" for concepts, total in totals.items()
    ]
    rows.append(("each further concept", *each))
    note = (
        "Median microseconds of a document in process, without store and response. Seal and stamp include a signature "
        "each."
    )
    return Sheet("Growth with the number of concepts", ("stage", *map(str, found)), rows, note)


def _validation_growth(bench: Bench) -> Sheet:
    found = validating.growth(bench)
    names = next(iter(found.values()))
    rows = [(f"{name}, us", *(f"{found[concepts][name].middle:,.0f}" for concepts in found)) for name in names]
    for name, title in ((validating.OURS, "floor / ours"), (validating.READ, "satcfdi / ours")):
        ours = [each[validating.OURS].middle for each in found.values()]
        other = [each[validating.FLOOR if name == validating.OURS else name].middle for each in found.values()]
        rows.append((title, *(f"{one / mine:.2f}" for one, mine in zip(other, ours, strict=True))))
    note = (
        "Medians of interleaved rounds, processor time in process. Floor: parse, reduced schema, both stylesheets, two "
        "verified signatures, with lxml and cryptography alone. Ours: structure, catalogs, all rules, certificate, "
        "both seals, the report. satcfdi only reads the document into its objects, without any check."
    )
    return Sheet("Validation by number of concepts", ("what", *map(str, found)), rows, note)


def _validations(found: dict[str, list[Speed]]) -> Sheet:
    floor = found[validating.FLOOR]
    rows = []
    for name, speeds in found.items():
        rate = Figure.of([speed.rate for speed in speeds])
        share = Figure.of([speed.rate / least.rate for speed, least in zip(speeds, floor, strict=True)])
        rows.append((name, rate.text(), share.text(2)))
    note = "Stamped invoices of three concepts, without the status."
    return Sheet("Validation on one core", ("what", "per second", "share of the floor"), rows, note)


if __name__ == "__main__":
    main()
