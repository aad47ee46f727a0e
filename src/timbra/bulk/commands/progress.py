"""Progress of a run on standard error: a bar on a terminal, otherwise a line for each tenth of the documents."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from timbra.console.language import translate

if TYPE_CHECKING:
    from timbra.bulk.run import Progress

TENTHS = 10
FAILED = ("invalid", "rejected", "unreadable")
"""Results that count as failures."""


@contextmanager
def show_progress(label: str) -> Iterator[Callable[[Progress], None]]:
    """Show the progress until the end of the block.

    Args:
        label: translated text before the bar.

    Yields:
        The function that shows a progress.
    """
    if sys.stderr.isatty():
        with _bar(label) as update:
            yield update
    else:
        yield _lines()


@contextmanager
def _bar(label: str) -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as ProgressBar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[failed]}"),
        TimeRemainingColumn(),
    )
    with ProgressBar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, rate="", failed="")

        def update(progress: Progress) -> None:
            bar.update(task, total=progress.total, completed=progress.done, failed=_failed(progress))
            speed = bar.tasks[0].speed
            bar.update(task, rate=translate("{count} per second").format(count=f"{speed:.0f}") if speed else "")

        yield update


def _lines() -> Callable[[Progress], None]:
    shown = -1

    def update(progress: Progress) -> None:
        nonlocal shown
        tenth = progress.done * TENTHS // max(1, progress.total)
        if tenth > shown and progress.total:
            shown = tenth
            text = translate("{done} of {total} documents, {failed}")
            line = text.format(done=progress.done, total=progress.total, failed=_failed(progress))
            typer.echo(line, err=True)

    return update


def _failed(progress: Progress) -> str:
    failed = sum(progress.results[name] for name in FAILED)
    return translate("{count} with errors").format(count=failed)
