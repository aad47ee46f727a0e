"""`python -m tools.plain_comparison --seed 1 --count 1000000`: compare both paths of a stamp for drawn documents.

A document is drawn from a seed and a position. One that is not plain takes the ordinary path anyway, which evaluates
one in 32 of them here, so that the rows of lists are read and the summary tells how many are valid. Each block of
positions is a line of `RESULTS/seed-N.jsonl`, so that a run that was stopped goes on where it was: blocks of these
lines are left out. `--position` compares one document again.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path

from tools.plain_comparison.comparing import KINDS, Comparison
from tools.plain_comparison.worker import BLOCK, begin, block

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Run the command line; 1 when documents differ."""
    parser = argparse.ArgumentParser(prog="python -m tools.plain_comparison", description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the first position")
    parser.add_argument("--count", type=int, default=100_000, help="how many positions")
    parser.add_argument("--kind", choices=[name for _, _, name in KINDS], help="only these documents; default: all")
    parser.add_argument("--minutes", type=float, default=0, help="begin no block after this time; default: no limit")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "plain-comparison")
    parser.add_argument("--position", type=int, help="compare this document only, and print it")
    options = parser.parse_args()
    if options.position is not None:
        return _replay(options.seed, options.position)
    options.results.mkdir(parents=True, exist_ok=True)
    suffix = f"-{options.kind.replace(' ', '-')}" if options.kind else ""
    file = options.results / f"seed-{options.seed}{suffix}.jsonl"
    done = {each["first"] for each in _lines(file)}
    begins = [each for each in range(options.first, options.first + options.count, BLOCK) if each not in done]
    until = time.monotonic() + options.minutes * 60 if options.minutes else float("inf")
    _run(file, options.seed, begins, options.kind, options.workers, until)
    return _summary(_lines(file))


def _run(file: Path, seed: int, begins: list[int], kind: str | None, workers: int, until: float) -> None:
    """Compare blocks of positions in several processes; each is written when it is ready."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short=8", "HEAD"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    rest = iter(begins)
    with (
        file.open("a", encoding="utf-8") as written,
        ProcessPoolExecutor(workers, get_context("spawn"), begin) as pool,
    ):
        pending: set[Future[dict[str, object]]] = set()
        while True:
            while len(pending) < 2 * workers and time.monotonic() < until:
                first = next(rest, None)
                if first is None:
                    break
                pending.add(pool.submit(block, seed, first, kind))
            if not pending:
                return
            ended, pending = wait(pending, return_when=FIRST_COMPLETED)
            for each in ended:
                line = {"commit": commit, **each.result()}
                written.write(json.dumps(line) + "\n")
                written.flush()
                for difference in line["differences"]:  # type: ignore[attr-defined]
                    print({**difference, "document": ""}, flush=True)


def _replay(seed: int, position: int) -> int:
    with tempfile.TemporaryDirectory(prefix="timbra-plain-comparison-") as folder:
        comparison = Comparison(Path(folder) / "data")
        drawn = comparison.draw(seed, position)
        [xml] = comparison.sealed([drawn])
        ordinary, plain = comparison.paths.compare(xml, drawn.operation)
        comparison.close()
    sys.stdout.buffer.write(xml + b"\n")
    print(f"{drawn.kind}: {ordinary if isinstance(ordinary, str) else 'a stamp'}, plain: {plain is not None}")
    return int(plain is not None and plain != ordinary)


def _lines(file: Path) -> list[dict[str, object]]:
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def _summary(lines: Iterable[dict[str, object]]) -> int:
    """Print the sums of the lines; return whether documents differ."""
    totals: dict[str, Counter[str]] = {}
    seconds = 0.0
    for line in lines:
        seconds += line["seconds"]  # type: ignore[operator]
        for kind, counts in line["counts"].items():  # type: ignore[attr-defined]
            totals.setdefault(kind, Counter()).update(counts)
    every = sum(totals.values(), Counter())
    for kind, counts in [*sorted(totals.items()), ("all", every)]:
        print(
            f"{kind:8}",
            *[f"{name} {counts[name]:,}" for name in ("drawn", "plain", "different", "evaluated", "accepted")],
        )
    print(f"{every['drawn'] / (seconds or 1):,.0f} a second of processor time, load {os.getloadavg()[0]:.1f}")
    return int(every["different"] > 0)


if __name__ == "__main__":
    raise SystemExit(main())
