"""`python -m bench.prints`: processor time of printed documents after warm-up.

Each row prints one document, with its XML attached, some times in this process and takes the median: the view, and the
PDF. The last rows print invoices in the child process of a server, whose time is that of the child.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from copy import deepcopy
from functools import partial

import psutil  # type: ignore[import-untyped]
from lxml import etree
from rich.console import Console
from tools.print_samples import MAX_LINES, sample_reader, stamped

from timbra import examples
from timbra.documents.typesetting import Typesetter
from timbra.examples.documents import DOCUMENTS
from timbra.rendering.pdf import pdf

REPEATS = 15
FEW = 3
MEMORY_BYTES, SECONDS = 8 * 1024**3, 120
"""More memory than a server gives, so that the process is not replaced between prints."""
SIZES = (1, 10, 100, 500)
KINDS = ("pagos20", "nomina12", "cartaporte31", "comercioexterior20", "retencion")


def main() -> None:
    """Print the table."""
    console, reader = Console(), sample_reader()
    roots = {f"invoice, {size} concepts": stamped(examples.ingreso(concepts=size)) for size in SIZES}
    roots |= {name: stamped(DOCUMENTS[name].make()) for name in KINDS}
    console.print(f"{'document':<28}{'view ms':>10}{'PDF ms':>10}{'bytes':>12}")
    for name, root in roots.items():
        repeats = FEW if "500" in name else REPEATS
        others = [_other(root, number) for number in range(repeats + 1)]
        views = [reader.view(other, MAX_LINES) for other in others]
        xml = etree.tostring(root)
        size = len(pdf(views.pop(), xml=xml))
        reading = _median([partial(reader.view, other, MAX_LINES) for other in others])
        setting = _median([partial(pdf, view, xml=xml) for view in views])
        console.print(f"{name:<28}{reading:>10.1f}{setting:>10.1f}{size:>12,}")
    _in_child(console, roots)


def _in_child(console: Console, roots: dict[str, etree._Element]) -> None:
    """Print the processor time of the child process for each invoice, after one print of it."""
    typesetter, reader = Typesetter(1, MEMORY_BYTES, SECONDS), sample_reader()
    for size in SIZES:
        name = f"invoice, {size} concepts"
        repeats = FEW if size > FEW * 100 else REPEATS
        first, *views = [reader.view(_other(roots[name], number), MAX_LINES) for number in range(repeats + 1)]
        xml = etree.tostring(roots[name])
        typesetter.pdf(first, xml=xml)
        (child,) = psutil.Process().children()
        before = sum(child.cpu_times()[:2])
        for view in views:
            typesetter.pdf(view, xml=xml)
        spent = (sum(child.cpu_times()[:2]) - before) / repeats
        resident = child.memory_info().rss / 1024**2
        console.print(f"{name + ', child':<28}{'':>10}{spent * 1000:>10.1f}   {resident:.0f} MiB resident")
    typesetter.close()


def _other(root: etree._Element, number: int) -> etree._Element:
    """Return a copy with other texts everywhere, because the typesetter remembers what it has set before."""
    other = deepcopy(root)
    for place, element in enumerate(other.iter(etree.Element)):
        for name in ("Descripcion", "Nombre", "Folio", "Concepto", "NoIdentificacion"):
            if element.get(name) is not None or (name == "Folio" and element is other):
                element.set(name, f"{element.get(name, '')} {number}-{place}")
    return other


def _median(works: list[Callable[[], object]]) -> float:
    """Return the median processor time of this process, in milliseconds."""
    times = []
    for work in works:
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times) * 1000


if __name__ == "__main__":
    main()
