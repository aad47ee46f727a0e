"""Output of the figures as tables: on the terminal, and in docs/performance.md."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from tools.markdown import paragraph

_NUMBER = re.compile(r"-?[0-9][0-9,]*(?:\.[0-9]+)?")
_FIGURE = re.compile(rf"({_NUMBER.pattern}) \(({_NUMBER.pattern})-({_NUMBER.pattern})\)")


@dataclass(frozen=True)
class Sheet:
    """A table.

    Attributes:
        note: explanation for the reader.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    def show(self, console: Console) -> None:
        """Print the table."""
        table = Table(title=self.title, caption=self.note or None, title_justify="left", caption_justify="left")
        for index, column in enumerate(self.columns):
            table.add_column(column, justify="right" if index else "left", overflow="fold")
        for row in self.rows:
            table.add_row(*row)
        console.print(table)

    def markdown(self) -> str:
        """Return the table in Markdown."""
        lines = [f"### {self.title}", ""]
        lines += [_line(self.columns), _line(["---", *["---:"] * (len(self.columns) - 1)])]
        lines += [_line(row) for row in self.rows]
        lines += ["", *paragraph(self.note)] if self.note else []
        return "\n".join(lines) + "\n"


def write(file: Path, sheets: Sequence[Sheet], name: str = "measured") -> None:
    """Replace the tables between the two marks of that name in the file; ValueError when it has no marks."""
    text = file.read_text("utf-8")
    before, begin, rest = text.partition(f"<!-- {name}: begin -->")
    _, end, after = rest.partition(f"<!-- {name}: end -->")
    if not (begin and end):
        raise ValueError(f"{file} has no place for measured tables")
    tables = "\n".join(sheet.markdown() for sheet in sheets)
    file.write_text(f"{before}{begin}\n\n{tables}\n{end}{after}", "utf-8")


def write_json(file: Path, sheets: Sequence[Sheet]) -> None:
    """Write the tables as JSON: by title, a list of rows, each an object by column."""
    tables = {
        sheet.title: [dict(zip(sheet.columns, (_number(cell) for cell in row), strict=False)) for row in sheet.rows]
        for sheet in sheets
    }
    file.write_text(json.dumps(tables, ensure_ascii=False, indent=1) + "\n", "utf-8")


def _number(cell: str) -> str | float | dict[str, float]:
    """Return the number of a cell, or `middle`, `least` and `greatest` of a figure, or the text itself."""
    if found := _FIGURE.fullmatch(cell):
        middle, least, greatest = (float(text.replace(",", "")) for text in found.groups())
        return {"middle": middle, "least": least, "greatest": greatest}
    return float(cell.replace(",", "")) if _NUMBER.fullmatch(cell) else cell


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
