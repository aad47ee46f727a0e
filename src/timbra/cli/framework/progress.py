"""A progress bar for long-running commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Show a progress bar on standard error, removed at the end.

    Yields:
        The function that updates the bar: name of the step, units done, units in total.
    """
    # Imported here, because few commands need it and the import is slow.
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("")
        yield lambda step, done, total: bar.update(task, description=step, completed=done, total=total)
