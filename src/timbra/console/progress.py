"""Progress bars on standard error, for long-running commands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

Item = TypeVar("Item")


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


def print_line(text: str, *, err: bool = False) -> None:
    """Print a line above the progress bar of `track`, which `typer.echo` would write into the bar."""
    print(text, file=sys.stderr if err else sys.stdout)


def track(items: Iterable[Item], total: int, label: str) -> Iterator[Item]:
    """Show a progress bar while items are processed, if standard error is a terminal and there are several.

    Args:
        items: The items.
        total: Number of items.
        label: Text before the bar.

    Yields:
        The items.
    """
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if total < 2 or not console.is_terminal:
        yield from items
        return
    # A redirected standard output gets its lines itself: the bar would move them to standard error.
    with Progress(console=console, transient=True, redirect_stdout=sys.stdout.isatty()) as bar:
        yield from bar.track(items, total, description=label)
