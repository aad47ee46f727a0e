"""A run: the parts of a result folder that are not written, by an engine that writes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from timbra.bulk.result_folder import Part, PlannedPart, ResultFolder

Engine = Callable[[ResultFolder, Sequence[PlannedPart]], Generator[Part, None, None]]
"""Writes parts into the folder, and yields each one that is written. Its workers end when it is closed."""


@dataclass(slots=True)
class Progress:
    """Progress of a run.

    Attributes:
        total: documents of the plan.
        results: number of documents of written parts by result, those of earlier runs included.
    """

    total: int
    results: Counter[str] = field(default_factory=Counter)

    @property
    def done(self) -> int:
        """Number of documents with a result."""
        return self.results.total()


def run_plan(folder: ResultFolder, engine: Engine, report: Callable[[Progress], None]) -> Progress:
    """Write the parts of the plan that are not written.

    Args:
        engine: it is not called when nothing is missing.
        report: is called at the beginning and after each part.

    Returns:
        The progress at the end.
    """
    progress = Progress(folder.totals().documents)
    for part in folder.parts():
        progress.results.update(part.results)
    report(progress)
    if missing := folder.missing_parts():
        with closing(engine(folder, missing)) as parts:
            for part in parts:
                progress.results.update(part.results)
                report(progress)
    return progress
