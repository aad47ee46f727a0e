"""`python -m bench.growth`: processor time by the size of a document, for everything in it that can be many.

Each row repeats one part of an example document 1,000 to 16,000 times; `--shapes COUNT` adds a sample of all kinds of
nodes at all places of the schemas (`tools/document_shapes.py`). Documents go where a server sends them: large ones to a
child process, whose processor time is added to that of this process. The sizes take turns, so that a busy moment of the
machine does not fall on one of them, and a time is the least of its turns; the exponent is the slope of the logarithms,
so that 1.0 is linear growth and 2.0 quadratic.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import math
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path

import psutil  # type: ignore[import-untyped]
from bench import cpu_affinity
from bench.large_documents import as_json
from bench.report import Sheet, write_json
from jinja2 import PackageLoader
from lxml import etree
from rich.console import Console
from tools.document_shapes import sample

from timbra import examples
from timbra.api.endpoints.json_documents import convert_in_child
from timbra.bootstrap import Container, open_container
from timbra.cfdi.qr import SAT_PAGES
from timbra.cli.operations.serve import freeze_objects, warm_up
from timbra.pools import AccountPools, Pools
from timbra.portal.views import validation as validator_page
from timbra.rendering.html import environment
from timbra.service.services import StampingServices
from timbra.service.stamping.models import DocumentKind
from timbra.settings import Settings

SIZES = (1_000, 2_000, 4_000, 8_000, 16_000)
FAR, NEAR = 10_000, 1_000
"""Numbers of concepts whose times are compared."""
ROUNDS = 5
CALLS, LEAST_CALLS = 8, 4
"""Measured calls of a round with the smallest size, and with large ones: the least of few calls is not the least."""
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
    parser.add_argument("--only", help="the rows whose name contains this text")
    parser.add_argument("--shapes", type=int, default=0, help="number of kinds of nodes at places of the schemas")
    parser.add_argument("--seed", type=int, default=1, help="chooses the kinds and places")
    chosen = parser.parse_args()
    sheet = sheet_of(chosen.only or "", chosen.shapes, chosen.seed)
    sheet.show(Console())
    if chosen.json:
        write_json(chosen.json, [sheet])


def sheet_of(only: str = "", shapes: int = 0, seed: int = 1) -> Sheet:
    """Measure and return the table, with a container of its own: services are built once, with or without children."""
    with (
        tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder,
        open_container(Settings(data=Path(folder))) as container,
        cpu_affinity.running_on(cpu_affinity.SERVER),
        asyncio.Runner() as runner,
    ):
        container.offload_large_documents()
        warm_up(container)
        freeze_objects()
        tasks = _tasks(container, runner, shapes, seed)
        rows = [_row(name, build, work) for name, (build, work) in tasks.items() if only in name]
    note = (
        f"Milliseconds of processor time, child processes included, the least of at least {ROUNDS * LEAST_CALLS} "
        f"turns. Growth up to the exponent {MOST} counts as linear. Last column: {FAR:,} beside {NEAR:,}."
    )
    columns = ("what", *(f"{size:,}" for size in SIZES), "exponent", f"{FAR:,} / {NEAR:,}")
    return Sheet("Growth with the size of a document", columns, rows, note)


def _tasks(container: Container, runner: asyncio.Runner, shapes: int, seed: int) -> dict[str, tuple[Build, Work]]:
    def validate(xml: bytes) -> object:
        return runner.get_loop().run_until_complete(container.validation_services.validation.validate(xml, False))

    tasks: dict[str, tuple[Build, Work]] = {
        f"validation, {name}": (build, validate) for name, build in VALIDATED.items()
    }
    tasks["JSON to XML, concepts"] = (
        lambda count: as_json(examples.ingreso(concepts=count).encode()),
        partial(_convert, container.stamping_services, runner),
    )
    page = partial(_page, container, runner)
    tasks["validator page, complement elements"] = (elements, page)
    tasks["validator page, concepts"] = (VALIDATED["concepts"], page)
    for shape in sample(container.snapshot, shapes, seed) if shapes else []:
        tasks[f"shape, {shape.name}"] = (shape.document, page)
    return tasks


def _convert(services: StampingServices, runner: asyncio.Runner, body: bytes) -> object:
    if services.processes is None or not services.processes.is_costly(body):
        return services.json_documents.invoice(body)
    work = services.processes.run("1", None, convert_in_child, DocumentKind.CFDI, body, True, False)
    return runner.get_loop().run_until_complete(work)


def _page(container: Container, runner: asyncio.Runner, xml: bytes) -> object:
    return runner.get_loop().run_until_complete(
        validator_page.examine(
            container.validation_services,
            environment(PackageLoader("timbra.portal")),
            1,
            "a.xml",
            xml,
            with_status=False,
            require_stamp=False,
            pages=SAT_PAGES,
            pools=AccountPools(Pools(), "1"),
        )
    )


def _row(name: str, build: Build, work: Work) -> tuple[str, ...]:
    documents = {size: build(size) for size in (*SIZES, FAR)}
    least = dict.fromkeys(documents, math.inf)
    work(documents[FAR])  # starts the child process
    for _ in range(ROUNDS):
        for size, document in documents.items():
            for _ in range(max(LEAST_CALLS, CALLS * SIZES[0] // size)):
                least[size] = min(least[size], _seconds(document, work))
    times = {size: least[size] for size in SIZES}
    far = least[FAR] / least[NEAR]
    return (name, *(f"{seconds * 1000:,.1f}" for seconds in times.values()), f"{exponent(times):.2f}", f"{far:.1f}")


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
