"""`python -m bench.complements`: cost of nodes and rules for the smallest document of each complement with a rule set.

It is compared with parsing and the structure check of the same document, invoice and complement, with the reference
data of a sandbox, in a process prepared as a worker is. Rounds are interleaved; a figure is the median processor time
of all calls.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median

from bench import cpu_affinity
from bench.rules import SEAL
from lxml import etree
from rich.console import Console
from rich.table import Table

from timbra.app.composition import Container, open_container
from timbra.cfdi.build import document_parser
from timbra.cfdi.nodes import walk
from timbra.cli.serve import freeze_objects, warm_up
from timbra.examples import DOCUMENTS
from timbra.rules.engine.profiles import VALIDATE
from timbra.rules.ports import reference_source
from timbra.settings import Settings
from timbra.stamping.build import stamping_services

INVOICES = ("ingreso", "traslado")
"""Documents without a complement, for comparison."""
CALLS = 40
ROUNDS, QUICK = 15, 5
STAGES = ("parse", "slim XSD", "walk", "rules")
Spent = dict[str, float]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.complements", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a third of the rounds")
    chosen = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder,
        open_container(Settings(data=Path(folder))) as container,
        cpu_affinity.running_on(cpu_affinity.SERVER),
    ):
        warm_up(container)
        freeze_objects()
        show(measure(container, documents(container), QUICK if chosen.quick else ROUNDS))


def documents(container: Container) -> dict[str, bytes]:
    """Return, by name and version of the invoice, the invoices and one document of each complement with a rule set."""
    rule_sets = container.get(stamping_services).checks.engine.rule_sets
    heads = {(rule_set.complement.TAG, version) for rule_set in rule_sets if rule_set.complement is not None
             for version in rule_set.versions}  # fmt: skip
    found = {}
    for name, document in DOCUMENTS.items():
        for version in document.builders:
            if name in INVOICES or (document.tag, version) in heads:
                found[f"{name}, CFDI {version}"] = sized(document.make(version))
    return found


def sized(text: str) -> bytes:
    """Add a seal and a certificate of the usual length."""
    root = etree.fromstring(text.encode())
    for name, value in SEAL.items():
        root.set(name.removeprefix("@"), value)
    return etree.tostring(root, encoding="UTF-8")


def measure(container: Container, written: dict[str, bytes], rounds: int) -> dict[str, Spent]:
    """Measure the stages of each document.

    Args:
        container: a sandbox.
        written: the documents by name.
        rounds: number of rounds.

    Returns:
        Median microseconds of processor time of each stage, by document.

    Raises:
        RuntimeError: a document has findings.
    """
    times: dict[tuple[str, str], list[float]] = defaultdict(list)
    for turn in range(rounds + 1):
        for name, xml in written.items():
            for _ in range(CALLS):
                for stage, spent in zip(STAGES, _once(container, name, xml), strict=True):
                    if turn:
                        times[name, stage].append(spent / 1000)
    return {name: {stage: median(times[name, stage]) for stage in STAGES} for name in written}


def _once(container: Container, name: str, xml: bytes) -> tuple[int, int, int, int]:
    clock = time.thread_time_ns
    reference_data = container.get(reference_source).current()
    begun = clock()
    root = container.get(document_parser).parse(xml).root
    parsed = clock()
    faults = container.get(stamping_services).checks.structure.check(root)
    built = clock()
    comprobante = walk(root)
    walked = clock()
    outcome = container.get(stamping_services).checks.engine.check(comprobante, reference_data, VALIDATE)
    evaluated = clock()
    if faults or outcome.rejection:
        raise RuntimeError(f"{name} is found wrong: {faults or outcome.rejection}")
    return parsed - begun, built - parsed, walked - built, evaluated - walked


def show(found: dict[str, Spent]) -> None:
    """Print the table."""
    table = Table("microseconds", *STAGES, "(walk + rules) / (parse + slim XSD)", title="Smallest documents")
    for name, spent in found.items():
        ratio = (spent["walk"] + spent["rules"]) / (spent["parse"] + spent["slim XSD"])
        table.add_row(name, *(f"{spent[stage]:,.1f}" for stage in STAGES), f"{ratio:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
