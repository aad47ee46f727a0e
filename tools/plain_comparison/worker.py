"""A process that compares blocks of positions."""

from __future__ import annotations

import gc
import tempfile
import time
from pathlib import Path

from tools.plain_comparison.comparing import Comparison

BLOCK = 1_000
_comparison: Comparison
_folder: tempfile.TemporaryDirectory[str]


def begin() -> None:
    """Make the sandbox of this process."""
    global _comparison, _folder
    _folder = tempfile.TemporaryDirectory(prefix="timbra-plain-comparison-")
    _comparison = Comparison(Path(_folder.name) / "data")
    gc.freeze()


def block(seed: int, first: int, kind: str | None) -> dict[str, object]:
    """Compare the documents of a block; return its line of the results."""
    started = time.process_time()
    compared = _comparison.run(seed, range(first, first + BLOCK), kind)
    seconds = round(time.process_time() - started, 2)
    counts = {name: dict(each) for name, each in compared.counts.items()}
    line = {"seed": seed, "first": first, "count": BLOCK, "seconds": seconds, "counts": counts}
    return {**line, "differences": compared.differences}
