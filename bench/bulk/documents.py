"""Distinct stamped invoices of mixed sizes, and lists of more paths than documents."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.fixtures import Prepared, prepare

from timbra import examples
from timbra.app.composition import open_container
from timbra.container.build import fiscal_clock
from timbra.core.clock import to_central_mexico
from timbra.settings import Settings
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampRequest

CONCEPTS = (1, 1, 1, 2, 3, 3, 5, 10, 30)
"""Concepts of the documents, in turn: 4 to 30 kB with both seals."""
CONCURRENT = 32
"""Documents that are stamped at a time."""


@contextmanager
def documents_in(folder: Path | None, distinct: int) -> Iterator[tuple[Path, list[Path]]]:
    """Yield a folder with a data folder `data`, and stamped invoices, each with a Folio of its own.

    Args:
        folder: keeps both, for further measurements; None for a temporary folder.
        distinct: number of documents.
    """
    with ExitStack() as stack:
        if folder is None:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="timbra-bench-")))
        documents = folder / "documents"
        files = sorted(documents.glob("*.xml"))
        if len(files) < distinct:
            files = _write(prepare(folder / "data"), documents, distinct)
        print(f"{len(files)} documents", file=sys.stderr, flush=True)
        yield folder, files[:distinct]


def _write(prepared: Prepared, folder: Path, distinct: int) -> list[Path]:
    folder.mkdir()
    files = [folder / f"{number:06}.xml" for number in range(distinct)]
    with open_container(Settings(data=prepared.data)) as container:
        fecha = to_central_mexico(container.get(fiscal_clock).now())
        stamping = container.get(stamping_services).stamping

        async def write(number: int) -> None:
            concepts = CONCEPTS[number % len(CONCEPTS)]
            text = examples.ingreso({"@Folio": str(number)}, concepts=concepts, fecha=fecha).encode()
            stamped = await stamping.issue(StampRequest(prepared.caller, text, str(number)))
            files[number].write_bytes(stamped.cfdi.encode())

        async def write_all() -> None:
            for start in range(0, distinct, CONCURRENT):
                await asyncio.gather(*map(write, range(start, min(distinct, start + CONCURRENT))))

        asyncio.run(write_all())
    return files


def write_list(file: Path, documents: list[Path], paths: int, start: int = 0) -> Path:
    """Write a list of paths, which begins with the document `start` and goes around as often as necessary.

    Returns:
        The file, a source of a run with `@` before it.
    """
    chosen = islice(cycle(documents), start % len(documents), start % len(documents) + paths)
    file.write_text("".join(f"{path}\n" for path in chosen))
    return file
