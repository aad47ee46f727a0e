"""`python -m bench.bulk.resumed`: a run that is killed and continued, beside an undisturbed run of its first paths.

--write: put the table into docs/scaling.md.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
from bench.bulk.documents import documents_in, write_list
from bench.report import Sheet, write
from rich.console import Console

from timbra.bulk.result_folder import ResultFolder

DOCUMENT = Path(__file__).parents[2] / "docs" / "scaling.md"
KILLS = ((signal.SIGKILL, 0.2), (signal.SIGTERM, 0.5), (signal.SIGKILL, 0.8))
"""Signals to the coordinator, each when that share of the parts is written."""
POLL_SECONDS = 0.2
INTERRUPTED = 3
"""Exit code of the command after SIGTERM."""
COUNTS = "SELECT count(*), count(DISTINCT document_id), count(DISTINCT sha256) FROM documents"
UNEQUAL = """
SELECT count(*) FROM (
  SELECT sha256 FROM (SELECT DISTINCT * EXCLUDE (document_id) FROM documents) GROUP BY sha256 HAVING count(*) > 1
)
"""
DIFFERENT = "SELECT count(*) FROM (TABLE whole EXCEPT TABLE documents)"


@dataclass(frozen=True)
class Comparison:
    """What was found.

    Attributes:
        documents: rows of the disturbed run.
        identifiers: its distinct document_id.
        distinct: its distinct documents.
        unequal: documents whose repetitions have different rows.
        compared: documents of the undisturbed run.
        different: their rows that are different in the other run.
        wall: seconds of the disturbed run.
    """

    documents: int
    identifiers: int
    distinct: int
    unequal: int
    compared: int
    different: int
    wall: float


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.bulk.resumed", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--paths", type=int, default=1_000_000, help="of the run that is killed")
    parser.add_argument("--undisturbed", type=int, default=200_000, help="paths of the other run")
    parser.add_argument("--distinct", type=int, default=50_000, help="different documents")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="keeps the documents for further measurements")
    parser.add_argument("--write", action="store_true", help="write the table into docs/scaling.md")
    chosen = parser.parse_args()
    with documents_in(chosen.folder, chosen.distinct) as (folder, documents), TemporaryDirectory(dir=folder) as results:
        found = compare(folder / "data", documents, Path(results), chosen.paths, chosen.undisturbed, chosen.workers)
    sheet = _sheet(found)
    sheet.show(Console())
    if chosen.write:
        write(DOCUMENT, [sheet], "killed run")


def compare(data: Path, documents: list[Path], folder: Path, paths: int, undisturbed: int, workers: int) -> Comparison:
    """Run both and compare their rows.

    Args:
        data: data folder.
        documents: distinct documents.
        folder: for lists and results.
        paths: of the disturbed run.
        undisturbed: paths of the undisturbed run, the first ones.
        workers: processes.
    """
    killed, whole = ResultFolder(str(folder / "killed")), ResultFolder(str(folder / "whole"))
    command = [sys.executable, "-m", "timbra.cli", "bulk", "validate", "--workers", str(workers), "--data", str(data)]
    disturbed = [*command, f"@{write_list(folder / 'list', documents, paths)}", "--out", killed.location]
    begun = time.perf_counter()
    for number, share in KILLS:
        _run_until(disturbed, killed, share, number)
    _run(disturbed)
    wall = time.perf_counter() - begun
    _run([*command, f"@{write_list(folder / 'start', documents, undisturbed)}", "--out", whole.location])
    with duckdb.connect(":memory:") as connection:
        for name, run in (("documents", killed), ("whole", whole)):
            connection.from_parquet(run.files("documents")).create_view(name)
        rows, identifiers, distinct = _one(connection, COUNTS)
        [unequal] = _one(connection, UNEQUAL)
        [different] = _one(connection, DIFFERENT)
    return Comparison(rows, identifiers, distinct, unequal, undisturbed, different, wall)


def _one(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[int, ...]:
    [row] = connection.execute(query).fetchall()
    return tuple(row)


def _run_until(command: list[str], results: ResultFolder, share: float, number: signal.Signals) -> None:
    """Start the command, and send the signal to its coordinator when that share of the parts is written."""
    with subprocess.Popen(command, env=_environment(), stdout=subprocess.DEVNULL) as process:
        while not _written(results, share):
            if process.poll() is not None:
                raise RuntimeError(f"the run ended with exit code {process.returncode} before its signal")
            time.sleep(POLL_SECONDS)
        process.send_signal(number)
        code = process.wait()
    if code not in (-number, INTERRUPTED):
        raise RuntimeError(f"exit code {code} after {number.name}")
    print(f"{number.name}: {len(results.parts())} parts", file=sys.stderr, flush=True)


def _written(results: ResultFolder, share: float) -> bool:
    if not results.exists:
        return False
    return sum(part.documents for part in results.parts()) >= share * results.totals().documents


def _run(command: list[str]) -> None:
    subprocess.run(command, env=_environment(), stdout=subprocess.DEVNULL, check=True)


def _environment() -> dict[str, str]:
    return {**os.environ, "TIMBRA_LANGUAGE": "en"}


def _sheet(found: Comparison) -> Sheet:
    """Return the table of the run that was killed."""
    rows = [
        ("rows, one for each path", f"{found.documents:,}"),
        ("their different document_id", f"{found.identifiers:,}"),
        ("distinct documents in them", f"{found.distinct:,}"),
        ("documents whose repetitions have different rows", f"{found.unequal:,}"),
        ("paths of the undisturbed run", f"{found.compared:,}"),
        ("their rows that differ", f"{found.different:,}"),
        ("seconds of the killed run on the clock", f"{found.wall:,.0f}"),
    ]
    note = "Killed with SIGKILL at 20 % and 80 % of the parts, ended with SIGTERM at 50 %, each time continued."
    return Sheet("A run that is killed and continued", ("what", "found"), rows, note)


if __name__ == "__main__":
    main()
