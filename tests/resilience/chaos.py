"""Chaos for as long as one likes: `python -m tests.resilience.chaos --minutes 10`, which `make chaos` runs.

Two nodes under clients, and one act of violence after the other; after each, all rows are held against each other.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from tests.resilience.scenario import Stage, stage

ROOM = 8192
"""Orders drawn before a fresh stage is set: auditing takes time that grows with what is stored."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    given = parser.parse_args()
    console = Console(soft_wrap=True)
    console.print(f"seed {given.seed}, {given.minutes:g} minutes")
    begun, acts = time.monotonic(), 0
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("chaos", total=given.minutes * 60)
        while time.monotonic() - begun < given.minutes * 60:
            with tempfile.TemporaryDirectory() as folder, stage(Path(folder), given.seed + acts) as play:
                while len(play.orders.drawn) < ROOM and (passed := time.monotonic() - begun) < given.minutes * 60:
                    acts += 1
                    progress.update(bar, completed=passed, description=f"{acts} acts")
                    console.print(_act(play, acts, given.seed))
    console.print(f"{acts} acts; nothing lost, nothing doubled")


def _act(play: Stage, number: int, seed: int) -> str:
    acts = play.acts()
    name = random.Random(f"{seed} {number}").choice(sorted(acts))
    play.open_doors()
    play.recover()
    told = acts[name]()
    play.close_doors()
    return f"{number:4} {told}\n     {play.audit()}; {play.book.rejections:,} told to come later"


if __name__ == "__main__":
    main()
