"""`python -m bench.complements`: what walk and rules cost for the smallest document of each complement with a book.

Next to parsing and the structure of the same document, invoice and complement; in the world of a sandbox, in a process
prepared as a worker is. Rounds are interleaved; a figure is the median processor time of all calls.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median

from bench import cores
from bench.rules import SEAL
from lxml import etree
from rich.console import Console
from rich.table import Table

from timbra.cfdi.nodes import walk
from timbra.cli.serve import settle, warm
from timbra.examples import DOCUMENTS
from timbra.rules.profiles import VALIDATE
from timbra.settings import Settings
from timbra.wiring import House, open_house

INVOICES = ("ingreso", "traslado")
"""Documents without a complement, to compare with."""
CALLS = 40
ROUNDS, QUICK = 15, 5
STAGES = ("parse", "slim XSD", "walk", "rules")
Spent = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.complements", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a third of the rounds")
    chosen = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder,
        open_house(Settings(data=Path(folder))) as house,
        cores.running_on(cores.SERVER),
    ):
        warm(house)
        settle()
        show(measure(house, documents(house), QUICK if chosen.quick else ROUNDS))


def documents(house: House) -> dict[str, bytes]:
    """By name and version of the invoice: the invoices, and one document of each complement that a book judges."""
    heads = {(book.complement.TAG, version) for book in house.tools.engine.books if book.complement is not None
             for version in book.versions}  # fmt: skip
    found = {}
    for name, document in DOCUMENTS.items():
        for version in document.builders:
            if name in INVOICES or (document.tag, version) in heads:
                found[f"{name}, CFDI {version}"] = sized(document.make(version))
    return found


def sized(text: str) -> bytes:
    """With seal and certificate of the usual length."""
    root = etree.fromstring(text.encode())
    for name, value in SEAL.items():
        root.set(name.removeprefix("@"), value)
    return etree.tostring(root, encoding="UTF-8")


def measure(house: House, written: dict[str, bytes], rounds: int) -> dict[str, Spent]:
    """Median microseconds, of a processor, of each stage by document. RuntimeError for one that is found wrong."""
    times: dict[tuple[str, str], list[float]] = defaultdict(list)
    for turn in range(rounds + 1):
        for name, xml in written.items():
            for _ in range(CALLS):
                for stage, spent in zip(STAGES, _once(house, name, xml), strict=True):
                    if turn:
                        times[name, stage].append(spent / 1000)
    return {name: {stage: median(times[name, stage]) for stage in STAGES} for name in written}


def _once(house: House, name: str, xml: bytes) -> tuple[int, int, int, int]:
    clock = time.thread_time_ns
    world = house.world()
    begun = clock()
    root = house.parser.parse(xml).root
    parsed = clock()
    faults = house.tools.structure.check(root)
    built = clock()
    comprobante = walk(root)
    walked = clock()
    outcome = house.tools.engine.check(comprobante, world, VALIDATE)
    judged = clock()
    if faults or outcome.rejection:
        raise RuntimeError(f"{name} is found wrong: {faults or outcome.rejection}")
    return parsed - begun, built - parsed, walked - built, judged - walked


def show(found: dict[str, Spent]) -> None:
    table = Table("microseconds", *STAGES, "(walk + rules) / (parse + slim XSD)", title="Smallest documents")
    for name, spent in found.items():
        ratio = (spent["walk"] + spent["rules"]) / (spent["parse"] + spent["slim XSD"])
        table.add_row(name, *(f"{spent[stage]:,.1f}" for stage in STAGES), f"{ratio:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
