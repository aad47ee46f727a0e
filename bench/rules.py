"""`python -m bench.rules`: cost of nodes and rules, compared with parsing and the structure check of the same document.

The invoices have random keys of the SAT's catalogs, and rounded amounts in some lines. All rules of CFDI 4.0 are
evaluated with the reference data of a sandbox, in a process prepared as a worker is. Rounds are interleaved; a figure
is the median processor time of all calls of a size. --profile N: print a profile of nodes and rules for N concepts
instead.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import cycle
from pathlib import Path
from statistics import median

from bench import cpu_affinity
from rich.console import Console
from rich.table import Table

from timbra import examples
from timbra.app.composition import Container, open_container
from timbra.catalogs.dated import read_rows
from timbra.catalogs.packed_table import PackedTable
from timbra.cfdi.build import document_parser
from timbra.cfdi.nodes import walk
from timbra.cli.serve import freeze_objects, warm_up
from timbra.container.build import fiscal_clock
from timbra.core.clock import to_central_mexico
from timbra.examples.conceptos import tax
from timbra.examples.totals import rounded
from timbra.examples.tree import ExampleNode
from timbra.rules.ports import reference_source
from timbra.settings import Settings
from timbra.snapshot import Snapshot
from timbra.snapshot.opening import opened_snapshot
from timbra.stamping.build import stamping_services

CALLS = {1: 200, 3: 200, 10: 100, 100: 20, 1_000: 4, 10_000: 1}
"""Calls of a round by number of concepts."""
ROUNDS, QUICK = 15, 5
LINES = 4_000
"""Different concepts in all invoices of a size; from the second round on, caches have their products and units."""
STAGES = ("parse", "slim XSD", "walk", "rules")
RATES = ("0.160000", "0.160000", "0.000000", None)
SEAL = {"@Sello": "A" * 344, "@NoCertificado": "0" * 20, "@Certificado": "A" * 2000}
"""Attributes of the usual length; no rule reads their content."""
Spent = dict[str, float]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.rules", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a third of the rounds")
    parser.add_argument("--assortment", type=int, metavar="N", help="products and units in use; else all")
    parser.add_argument("--profile", type=int, metavar="N", help="profile walk and rules over N concepts")
    chosen = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder,
        open_container(Settings(data=Path(folder))) as container,
        cpu_affinity.running_on(cpu_affinity.SERVER),
    ):
        warm_up(container)
        freeze_objects()
        keys = Keys.of(container.get(opened_snapshot), chosen.assortment)
        if chosen.profile:
            profile(container, keys, chosen.profile)
        else:
            show(measure(container, keys, QUICK if chosen.quick else ROUNDS))


def measure(container: Container, keys: Keys, rounds: int) -> dict[int, Spent]:
    """Return the median microseconds of processor time of each stage, by number of concepts."""
    documents = {concepts: cycle(invoices(container, keys, concepts)) for concepts in CALLS}
    spent: dict[int, dict[str, list[float]]] = {concepts: defaultdict(list) for concepts in CALLS}
    for number in range(rounds + 1):
        for concepts, calls in CALLS.items():
            gc.collect()
            for _ in range(calls):
                seconds = one(container, next(documents[concepts]))
                if number:
                    for stage, each in zip(STAGES, seconds, strict=True):
                        spent[concepts][stage].append(each * 1e6)
    return {concepts: {stage: median(each[stage]) for stage in STAGES} for concepts, each in spent.items()}


def one(container: Container, xml: bytes) -> Sequence[float]:
    """Return the processor seconds of each stage of one document; RuntimeError or ServiceError when it has errors."""
    begun = time.thread_time()
    root = container.get(document_parser).parse(xml).root
    parsed = time.thread_time()
    faults = container.get(stamping_services).checks.structure.check(root)
    checked = time.thread_time()
    comprobante = walk(root)
    walked = time.thread_time()
    container.get(stamping_services).checks.engine.validate_for_stamping(
        comprobante, container.get(reference_source).current()
    )
    evaluated = time.thread_time()
    if faults:
        raise RuntimeError(f"the document has faults: {faults[0]}")
    return parsed - begun, checked - parsed, walked - checked, evaluated - walked


@dataclass(frozen=True)
class Keys:
    """Products and units of the SAT's catalogs."""

    products: Sequence[int]
    units: Sequence[str]

    @staticmethod
    def of(snapshot: Snapshot, count: int | None) -> Keys:
        """Return that number of each, drawn at random; all of them for None.

        The products are those in force that need no complement.
        """
        table = PackedTable(snapshot.read("catalogs/cfdi40/c_ClaveProdServ.table"))
        _, fuels = read_rows(snapshot.read("catalogs/hidroypetro10/c_ClaveHYP.csv"))
        excluded, today = {row[0] for row in fuels}, date.today()  # noqa: DTZ011 - the day of the benchmark
        products = [int(key) for key in table.keys() if key not in excluded and table.contains(key, today)]  # noqa: SIM118
        _, units = read_rows(snapshot.read("catalogs/cfdi40/c_ClaveUnidad.csv"))
        if count is None:
            return Keys(products, [row[0] for row in units])
        chooser = random.Random(count)
        return Keys(chooser.sample(products, count), [row[0] for row in chooser.sample(units, min(count, len(units)))])


def invoices(container: Container, keys: Keys, concepts: int) -> list[bytes]:
    """Return invoices of that many distinct concepts; the same in every run except for their date."""
    chooser = random.Random(concepts)
    fecha = to_central_mexico(container.get(fiscal_clock).now())
    made = []
    for _ in range(max(1, LINES // concepts)):
        lines = [_line(chooser, keys, RATES[number % len(RATES)]) for number in range(concepts)]
        made.append(examples.ingreso(SEAL, fecha=fecha, concepts=lines).encode())
    return made


def _line(chooser: random.Random, keys: Keys, rate: str | None) -> ExampleNode:
    """Return a line: half of the lines are exact products, the others have more decimals and a rounded Importe."""
    exact = chooser.random() < 0.5
    price = rounded(Decimal(chooser.uniform(1, 5000)), 2 if exact else 6)
    quantity = str(chooser.randrange(1, 20)) if exact else rounded(Decimal(chooser.uniform(1, 20)), 3)
    importe = rounded(Decimal(price) * Decimal(quantity), 2)
    changes = {
        "@ClaveProdServ": f"{chooser.choice(keys.products):08}",
        "@ClaveUnidad": chooser.choice(keys.units),
        "@Cantidad": quantity,
        "@Importe": importe,
    }
    return examples.concepto(changes, price=price, traslados=[tax(importe, "002", rate)])


def show(found: dict[int, Spent]) -> None:
    """Print two tables: the stages, and the ratios that have goals."""
    console = Console()
    table = Table("microseconds", *(f"{concepts:,}" for concepts in found), title="Walk and rules by concepts")
    for stage in STAGES:
        table.add_row(stage, *(f"{spent[stage]:,.1f}" for spent in found.values()))
    table.add_row("pass: walk + rules", *(f"{_pass(spent):,.1f}" for spent in found.values()), end_section=True)
    table.add_row("pass / (parse + slim XSD)", *(f"{_pass(spent) / _floor(spent):.2f}" for spent in found.values()))
    one_concept = _pass(found[1])
    table.add_row("pass / pass of 1 concept", *(f"{_pass(spent) / one_concept:,.1f}" for spent in found.values()))
    console.print(table)
    for stage in (*STAGES, "pass"):
        growth = _of(found[10_000], stage) / _of(found[1_000], stage)
        console.print(f"{stage}: 10,000 concepts cost {growth:.2f} times 1,000")


def _of(spent: Spent, stage: str) -> float:
    return _pass(spent) if stage == "pass" else spent[stage]


def _pass(spent: Spent) -> float:
    return spent["walk"] + spent["rules"]


def _floor(spent: Spent) -> float:
    return spent["parse"] + spent["slim XSD"]


def profile(container: Container, keys: Keys, concepts: int) -> None:
    """Print a profile; the profiler overestimates small functions."""
    profiler = cProfile.Profile()
    for xml in invoices(container, keys, concepts):
        root = container.get(document_parser).parse(xml).root
        profiler.enable()
        container.get(stamping_services).checks.engine.validate_for_stamping(
            walk(root), container.get(reference_source).current()
        )
        profiler.disable()
    profiler.print_stats("tottime")


if __name__ == "__main__":
    main()
