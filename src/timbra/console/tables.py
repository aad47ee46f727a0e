"""Rows as output: a table on a terminal, values separated by tabs in a file or a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

import typer

from timbra.console.language import translate


def print_rows(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows; the headings are printed on a terminal only.

    Args:
        columns: English headings; they are translated.
        rows: Values, which programs read: they are not translated.
    """
    if not sys.stdout.isatty():
        for row in rows:
            typer.echo("\t".join(row))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*map(translate, columns))
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)
