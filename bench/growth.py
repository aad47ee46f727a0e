"""`python -m bench.growth`: processor time by the size of a document, for everything in it that can be many.

Each row repeats one part of an example document 1,000 to 16,000 times. `--shapes` measures kinds of nodes at places of
the schemas instead (`tools/document_shapes.py`): a sample that `--seed` chooses, as many as `--minutes` allow, or all
with `--all`. Documents go where a server sends them: large ones to a
child process, whose processor time is added to that of this process. The sizes take turns, so that a busy moment of the
machine does not fall on one of them, and a time is the least of its turns; the exponent is the slope of the logarithms,
so that 1.0 is linear growth and 2.0 quadratic.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil  # type: ignore[import-untyped]
from bench import cpu_affinity
from bench.large_documents import as_json
from bench.report import Sheet, write_json
from lxml import etree
from rich.console import Console
from tools.document_shapes import KINDS, Shape, sample, shapes

from timbra import examples
from timbra.app.composition import Container, open_container
from timbra.app.portal_factory import template_loaders
from timbra.cfdi.qr import SAT_PAGES
from timbra.cli.serve import freeze_objects, warm_up
from timbra.evaluation.build import document_processes, started_document_processes
from timbra.pools import AccountPools, Pools
from timbra.rendering.html import environment
from timbra.settings import Settings
from timbra.snapshot.opening import opened_snapshot
from timbra.stamping.build import stamping_services
from timbra.stamping.json_documents import convert_in_child
from timbra.stamping.models import DocumentKind
from timbra.stamping.services import StampingServices
from timbra.validation import view as validator_page
from timbra.validation.build import validation_services

FAR, NEAR = 10_000, 1_000
"""Numbers of concepts whose times are compared."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much a row is measured.

    Attributes:
        rounds: turns of all sizes.
        calls: calls of a round with the smallest size.
        least_calls: calls of a round with large ones: the least of few calls is not the least.
    """

    sizes: tuple[int, ...]
    rounds: int
    calls: int
    least_calls: int


PARTS = Effort((1_000, 2_000, 4_000, 8_000, 16_000), 5, 8, 4)
SHAPES = Effort((8_000, 16_000, 32_000, 64_000), 3, 2, 1)
MINUTES = 8.0
ATTRIBUTES = 100
"""Attributes of one element, below the limit of the settings."""
MOST = 1.1
"""Exponent up to which growth counts as linear."""

Build = Callable[[int], bytes]
Work = Callable[[bytes], object]


def repeated(text: str, local_name: str, count: int, number: str = "") -> bytes:
    """Return a document whose first element of that name is repeated.

    Args:
        text: the document.
        local_name: name of the element.
        count: number of elements.
        number: attribute that gets a UUID of its own in each element; empty for equal elements.
    """
    root = etree.fromstring(text.encode())
    first = next(root.iter(f"{{*}}{local_name}"))
    parent = first.getparent()
    if parent is None:
        raise ValueError(f"{local_name} is the root")
    place = parent.index(first)
    copies = [deepcopy(first) for _ in range(count - 1)]
    for position, copy in enumerate(copies):
        if number:
            copy.set(number, f"6F1AD3A4-1D9C-4C6E-9C35-{position:012X}")
    parent[place + 1 : place + 1] = copies
    return bytes(etree.tostring(root, xml_declaration=True, encoding="utf-8"))


def with_complement(content: str) -> bytes:
    """Return an invoice with unknown elements in its Complemento."""
    return _with(f"<cfdi:Complemento>{content}</cfdi:Complemento>")


def _with(part: str) -> bytes:
    return examples.ingreso().replace("</cfdi:Comprobante>", f"{part}</cfdi:Comprobante>").encode()


def attributes(count: int) -> bytes:
    """Return an invoice whose Addenda has so many attributes."""
    element = "<a " + " ".join(f'a{number}="1"' for number in range(ATTRIBUTES)) + "/>"
    return _with(f"<cfdi:Addenda>{element * (count // ATTRIBUTES)}</cfdi:Addenda>")


def namespaces(count: int) -> bytes:
    """Return an invoice whose Addenda declares so many namespaces."""
    content = "".join(f'<x{number}:a xmlns:x{number}="urn:x:{number}"/>' for number in range(count))
    return _with(f"<cfdi:Addenda>{content}</cfdi:Addenda>")


def findings(count: int) -> bytes:
    """Return an invoice with an error in each of so many concepts."""
    return examples.ingreso(concepts=count).replace('ClaveUnidad="', 'ClaveUnidad="QQ').encode()


def elements(count: int) -> bytes:
    """Return an invoice with so many different elements of an unknown complement."""
    return with_complement("".join(f'<x:A{number} xmlns:x="urn:x" c="1"/>' for number in range(count)))


VALIDATED: Mapping[str, Build] = {
    "concepts": lambda count: examples.ingreso(concepts=count).encode(),
    "payments": lambda count: repeated(examples.pago(), "Pago", count),
    "documents of a payment": lambda count: repeated(examples.pago(), "DoctoRelacionado", count, "IdDocumento"),
    "merchandise": lambda count: repeated(examples.carta_porte(), "Mercancia", count),
    "related CFDI": lambda count: repeated(examples.egreso(), "CfdiRelacionado", count, "UUID"),
    "payroll lines": lambda count: repeated(examples.nomina(), "Percepcion", count),
    "findings": findings,
    "attributes": attributes,
    "namespaces": namespaces,
    "complement elements": elements,
}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--only", default="", help="the rows whose name contains this text")
    parser.add_argument("--shapes", type=int, nargs="?", const=len(KINDS), help="measure so many kinds of nodes")
    parser.add_argument("--all", action="store_true", help="with --shapes: every kind at every place, without limit")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="after which no further shape begins")
    parser.add_argument("--seed", type=int, default=1, help="chooses the shapes")
    chosen = parser.parse_args()
    if chosen.shapes is None and not chosen.all:
        sheet = sheet_of(chosen.only)
    else:
        minutes = math.inf if chosen.all else chosen.minutes
        sheet = sheet_of_shapes(chosen.only, None if chosen.all else chosen.shapes, chosen.seed, minutes)
    sheet.show(Console())
    if chosen.json:
        write_json(chosen.json, [sheet])


def sheet_of(only: str = "") -> Sheet:
    """Measure the parts of documents and return the table."""
    with _container(offloads=True) as (container, runner):
        tasks = {name: task for name, task in _tasks(container, runner).items() if only in name}
        rows = []
        for name, (build, work) in tasks.items():
            times = _times(build, work, PARTS, FAR)
            far = times.pop(FAR) / times[NEAR]
            rows.append((*_cells(name, times), f"{far:.1f}"))
    note = (
        f"Milliseconds of processor time, child processes included, the least of at least "
        f"{PARTS.rounds * PARTS.least_calls} turns. Growth up to the exponent {MOST} counts as linear. "
        f"Last column: {FAR:,} beside {NEAR:,}."
    )
    columns = ("what", *(f"{size:,}" for size in PARTS.sizes), "exponent", f"{FAR:,} / {NEAR:,}")
    return Sheet("Growth with the size of a document", columns, rows, note)


def sheet_of_shapes(only: str, count: int | None, seed: int, minutes: float) -> Sheet:
    """Measure kinds of nodes at places of the schemas in this process and return the table.

    A child process would add a step where documents become large, which is no growth.

    Args:
        only: text in the names of the shapes.
        count: number of shapes; None for all.
        seed: chooses them.
        minutes: after which no further shape begins.
    """
    rows, steep = [], []
    with _container(offloads=False) as (container, runner):
        begun = time.monotonic()
        found = (
            shapes(container.get(opened_snapshot))
            if count is None
            else sample(container.get(opened_snapshot), count, seed)
        )
        turn = seed % len(found)  # other kinds come first with another seed
        chosen = [shape for shape in (*found[turn:], *found[:turn]) if only in shape.name]
        for shape in chosen:
            if time.monotonic() - begun > 60 * minutes:
                break
            cells, growth = _shape_row(container, runner, shape)
            rows.append(cells)
            print(f"{len(rows)}/{len(chosen)} {' '.join(cells)}", file=sys.stderr, flush=True)
            if growth > MOST:
                steep.append(shape.name)
    note = (
        f"Milliseconds of processor time in one process, the least of {SHAPES.rounds} turns; "
        f"{len(rows)} of {len(chosen)} shapes, seed {seed}. Above {MOST}: {', '.join(steep) or 'none'}."
    )
    return Sheet("Growth of shapes", ("what", *(f"{size:,}" for size in SHAPES.sizes), "exponent"), rows, note)


def _shape_row(container: Container, runner: asyncio.Runner, shape: Shape) -> tuple[tuple[str, ...], float]:
    times = _times(shape.document, partial(_page, container, runner), SHAPES)
    return _cells(shape.name, times), exponent(times)


OFFLOADING = {document_processes: started_document_processes}


@contextmanager
def _container(*, offloads: bool) -> Iterator[tuple[Container, asyncio.Runner]]:
    """Open a container of its own: services are built once, with or without children."""
    with (
        tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder,
        open_container(Settings(data=Path(folder)), bindings=OFFLOADING if offloads else {}) as container,
        cpu_affinity.running_on(cpu_affinity.SERVER),
        asyncio.Runner() as runner,
    ):
        warm_up(container)
        freeze_objects()
        yield container, runner


def _tasks(container: Container, runner: asyncio.Runner) -> dict[str, tuple[Build, Work]]:
    def validate(xml: bytes) -> object:
        return runner.get_loop().run_until_complete(container.get(validation_services).validation.validate(xml, False))

    tasks: dict[str, tuple[Build, Work]] = {
        f"validation, {name}": (build, validate) for name, build in VALIDATED.items()
    }
    tasks["JSON to XML, concepts"] = (
        lambda count: as_json(examples.ingreso(concepts=count).encode()),
        partial(_convert, container.get(stamping_services), runner),
    )
    page = partial(_page, container, runner)
    tasks["validator page, complement elements"] = (elements, page)
    tasks["validator page, concepts"] = (VALIDATED["concepts"], page)
    return tasks


def _convert(services: StampingServices, runner: asyncio.Runner, body: bytes) -> object:
    if services.processes is None or not services.processes.is_costly(body):
        return services.json_documents.invoice(body)
    work = services.processes.run("1", None, convert_in_child, DocumentKind.CFDI, body, True, False)
    return runner.get_loop().run_until_complete(work)


def _page(container: Container, runner: asyncio.Runner, xml: bytes) -> object:
    return runner.get_loop().run_until_complete(
        validator_page.examine(
            container.get(validation_services),
            environment(*template_loaders()),
            1,
            "a.xml",
            xml,
            with_status=False,
            require_stamp=False,
            pages=SAT_PAGES,
            pools=AccountPools(Pools(), "1"),
        )
    )


def _times(build: Build, work: Work, effort: Effort, *more: int) -> dict[int, float]:
    """Return the least seconds of each size, and of the sizes `more`."""
    documents = {size: build(size) for size in (*effort.sizes, *more)}
    least = dict.fromkeys(documents, math.inf)
    work(documents[max(documents)])  # starts the child process
    for _ in range(effort.rounds):
        for size, document in documents.items():
            for _ in range(max(effort.least_calls, effort.calls * effort.sizes[0] // size)):
                least[size] = min(least[size], _seconds(document, work))
    return least


def _cells(name: str, times: Mapping[int, float]) -> tuple[str, ...]:
    return (name, *(f"{seconds * 1000:,.1f}" for seconds in times.values()), f"{exponent(times):.2f}")


def _seconds(document: bytes, work: Work) -> float:
    """Return the processor time of one call, that of the child processes included."""
    clocks = [time.CLOCK_PROCESS_CPUTIME_ID, *(_cpu_clock(child.pid) for child in psutil.Process().children())]
    gc.collect()
    gc.disable()  # a worker of a server collects rarely
    begun = _total(clocks)
    work(document)
    spent = _total(clocks) - begun
    gc.enable()
    return spent


def _total(clocks: Sequence[int]) -> float:
    return sum(time.clock_gettime(clock) for clock in clocks)


def _cpu_clock(pid: int) -> int:
    """Return the clock of the processor time of another process, as `clock_getcpuclockid` does on Linux."""
    return (~pid << 3) | 2


def exponent(times: Mapping[int, float]) -> float:
    """Return the slope of the logarithm of the time by that of the size, by least squares."""
    points = [(math.log(size), math.log(seconds)) for size, seconds in times.items()]
    x_mean, y_mean = (sum(values) / len(points) for values in zip(*points, strict=True))
    covariance: float = sum((x - x_mean) * (y - y_mean) for x, y in points)
    variance: float = sum((x - x_mean) ** 2 for x, _ in points)
    return covariance / variance


if __name__ == "__main__":
    main()
