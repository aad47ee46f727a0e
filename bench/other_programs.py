"""Validating and sealing beside other programs: small invoices, and a document of 4 MB, in interleaved rounds.

CfdiUtils, the library of PHP, needs packages that are not on the machine of the benchmark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from bench import cpu_affinity, rsa_limits, sealing, validating
from bench.interleaved_rounds import Figure, Speed, timed
from bench.large_documents import CONCEPTS
from bench.measure import Bench
from bench.report import Sheet

TITLE = "Beside other programs"
TIMBRA, SATCFDI, ALONE, FULL = "Timbra", "satcfdi", "lxml and OpenSSL alone", "the same with the SAT's schema"
COLUMNS = (TIMBRA, SATCFDI, ALONE, FULL)
SMALL, LARGE = 3, CONCEPTS
DIFFERENT = 100
SHARE = 20
"""The schema of the SAT is measured with so much fewer documents: its catalogs are searched from their start."""


@dataclass(frozen=True, slots=True)
class _Task:
    """A cell of the table.

    Attributes:
        is_rate: whether it is a number per second, or milliseconds of one.
    """

    row: str
    column: str
    work: Callable[[], Speed]
    is_rate: bool


def sheet_of(bench: Bench) -> Sheet:
    """Measure and return the table."""
    tasks = list(_small(bench))
    if bench.plan.is_whole:
        tasks += _large(bench)
    found: list[list[float]] = [[] for _ in tasks]
    for number in range(bench.plan.rounds + 1):
        for task, values in zip(tasks, found, strict=True):
            rate = task.work().cpu_rate
            if number:
                values.append(rate if task.is_rate else 1000 / rate)
    cells = {(each.row, each.column): Figure.of(values).text() for each, values in zip(tasks, found, strict=True)}
    rows = [
        (row, *(cells.get((row, column), "") for column in COLUMNS)) for row in dict.fromkeys(cell[0] for cell in cells)
    ]
    note = (
        f"Medians (least-greatest) of {bench.plan.rounds} interleaved rounds by processor time, in process, on one "
        "core. Timbra checks structure, catalogs, rules, certificate and both seals; satcfdi only reads the document "
        "into its objects. lxml and OpenSSL alone: parse, schema without catalogs, both stylesheets and two verified "
        "signatures; for a seal, the signature. CfdiUtils is not measured: its packages cannot be had there."
    )
    return Sheet(TITLE, ("what", *COLUMNS), rows, note)


def _small(bench: Bench) -> Iterator[_Task]:
    small = validating.stamped(bench, SMALL, DIFFERENT)
    validate, read, floor = validating.ours(bench), validating.satcfdi_reader(), validating.Floor(bench)
    full, calls = validating.Floor(bench).use_full_schema(), bench.plan.calls
    row = "validations a second, three concepts"
    for column, work in ((TIMBRA, validate), (SATCFDI, read), (ALONE, floor.validate)):
        yield _Task(row, column, partial(validating.once, work, small, calls), is_rate=True)
    yield _Task(row, FULL, partial(validating.once, full.validate, small, calls // SHARE), is_rate=True)
    container, prepared, row = bench.container, bench.prepared, "seals a second, three concepts"
    yield _Task(row, TIMBRA, _pinned(sealing.by_timbra(container, prepared), calls), is_rate=True)
    yield _Task(row, SATCFDI, _pinned(sealing.by_satcfdi(container, prepared), calls), is_rate=True)
    yield _Task(row, ALONE, _pinned(rsa_limits.one_signature(prepared), calls), is_rate=True)


def _large(bench: Bench) -> Iterator[_Task]:
    large, container, prepared = validating.stamped(bench, LARGE, 1), bench.container, bench.prepared
    row = "milliseconds of a validation, 4 MB"
    for column, work in (
        (TIMBRA, validating.ours(bench)),
        (SATCFDI, validating.satcfdi_reader()),
        (ALONE, validating.Floor(bench).validate),
    ):
        yield _Task(row, column, partial(validating.once, work, large, 1), is_rate=False)
    row = "milliseconds of a seal, 4 MB"
    yield _Task(row, TIMBRA, _pinned(sealing.by_timbra(container, prepared, LARGE), 1), is_rate=False)
    yield _Task(row, SATCFDI, _pinned(sealing.by_satcfdi(container, prepared, LARGE), 1), is_rate=False)


def _pinned(work: Callable[[], object], count: int) -> Callable[[], Speed]:
    def task() -> Speed:
        with cpu_affinity.running_on(cpu_affinity.SERVER):
            return timed(work, count)

    return task
