"""`python -m bench.bulk`: rates of bulk validation in one process, in worker processes and under Ray.

All ways take turns in rounds on the same documents; `rounds` says what is measured. Ray runs in a network namespace of
its own with the interpreter of `.venv-bulk` (`make .venv-bulk/bin/python`). --write: put the tables into
docs/scaling.md. `python -m bench.bulk.resumed` measures runs that are killed.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.bulk import rounds, sheets
from bench.bulk.documents import documents_in
from bench.bulk.way import PROCESSES
from bench.machine import facts
from bench.report import Sheet, write, write_json
from rich.console import Console

DOCUMENT = Path(__file__).parents[2] / "docs" / "scaling.md"


def main() -> None:
    """Run the command line."""
    chosen = _arguments()
    with documents_in(chosen.folder, chosen.distinct) as (folder, documents), TemporaryDirectory(dir=folder) as results:
        found = [Sheet("Machine", ("what", "value"), [*facts(folder).items()])]
        begun = time.monotonic()
        ways = rounds.measure(
            folder / "data",
            documents,
            Path(results),
            chosen.documents,
            chosen.rounds,
            lambda: 0 < chosen.minutes < (time.monotonic() - begun) / 60,
            ray=not chosen.no_ray,
        )
        found += sheets.of_rounds(ways)
        found += sheets.arithmetic(ways, sheets.sizes(documents, Path(results) / f"{PROCESSES}-1-0"))
    for sheet in found:
        sheet.show(Console())
    if chosen.write:
        write(DOCUMENT, found)
    if chosen.json:
        write_json(chosen.json, found)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.bulk", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--documents", type=int, default=200_000, help="of each way")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--distinct", type=int, default=50_000, help="different documents")
    parser.add_argument("--minutes", type=float, default=0, help="no further round after this time; 0 for all rounds")
    parser.add_argument("--no-ray", action="store_true")
    parser.add_argument("--folder", type=Path, help="keeps the documents for further measurements")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/scaling.md")
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    return parser.parse_args()


if __name__ == "__main__":
    main()
