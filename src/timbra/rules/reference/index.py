"""The matrices at a glance: one line for each row of a book, one for each book, made from the rules themselves."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from timbra.messages import MESSAGES, full_message
from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule import AnyRule, NotImplementedRow
from timbra.rules.reference.pages import PAGES, RuleSetPage

ROOT = "Comprobante"
COMMAND = "python -m timbra.rules.reference.index"
HEAD = "| code | place | what must hold | state | needs | function |\n|---|---|---|---|---|---|"
BOOKS_HEAD = (
    "| book | invoice | revision | SAT's codes | rows | asked | suspended | inactive | listed | rows with dates |\n"
    "|---|---|---|---|---|---|---|---|---|---|"
)
STATES = ("rule", "suspended", "inactive", "listed")
COVERAGE = "README.md"


def page(name: str) -> str:
    """The page of a book in Markdown, with every row; KeyError for a book that has none."""
    shown = PAGES[name]
    rows = shown.known
    counted = ", ".join(f"{count} {each}" for each, count in Counter(map(state, rows)).items())
    note = f"Made from the rules themselves; `{COMMAND} {name}` prints it."
    return "\n".join((f"# {shown.title}\n", f"{note}\n", f"Rows: {counted}.\n", HEAD, *map(_line, rows), ""))


def coverage() -> str:
    """The page of all books in Markdown."""
    lines = (
        "# All books of rules\n",
        f"Made from the rules themselves; `{COMMAND}` prints it.\n",
        "A row is a code of SAT's matrix, or one of the demands that it answers with its code for unclassified errors.",
        "Asked: an error or a warning. Suspended: published by SAT, not switched on. Inactive: SAT has it not applied.",
        "Listed: no rule, for the reason told below. Every rule has a document that keeps it and one that breaks it:",
        "`timbra explain CODE --example pass` and `fail`.\n",
        BOOKS_HEAD,
        *map(_book_line, PAGES.values()),
        "\n## Listed rows\n",
        "| book | rows | reason |\n|---|---|---|",
        *_reasons(),
        "\nHow the rules agree with public documents: [agreement.md](agreement.md).",
        "",
    )
    return "\n".join(lines)


def pages() -> Iterator[tuple[str, str]]:
    """File name and text of every page."""
    yield COVERAGE, coverage()
    for name in PAGES:
        yield f"{name}.md", page(name)


def state(row: AnyRule | NotImplementedRow) -> str:
    """rule, or why it is not asked: suspended, inactive, listed."""
    if isinstance(row, NotImplementedRow):
        return "listed"
    return str(row.severity) if row.severity in (Severity.SUSPENDED, Severity.INACTIVE) else "rule"


def counts(shown: RuleSetPage) -> dict[str, int]:
    """How many rows are in each of `STATES`."""
    found = Counter(map(state, shown.known))
    return {name: found[name] for name in STATES}


def codes(shown: RuleSetPage) -> set[str]:
    """SAT's codes that the rows of a page show, of its own matrix."""
    return {row.partition(":")[0] for row in shown.rows if shown.codes and row.startswith(shown.codes)}


def invoices(shown: RuleSetPage) -> str:
    """The versions of the invoice that its books judge."""
    own = [book for book in shown.books if book.name == shown.name]
    return ", ".join(sorted({version for book in own for version in book.versions}, reverse=True))


def revision(shown: RuleSetPage) -> str:
    return shown.books[-1].revision


def dated(shown: RuleSetPage) -> str:
    """How many rows hold only for some time, and the dates on which that changes."""
    turns = [row for row in shown.known if not isinstance(row, NotImplementedRow) and _dates(row)]
    since = {row.since for row in turns} - {date.min}
    until = {row.until for row in turns} - {date.max}
    told = [*(f"since {on}" for on in sorted(since)), *(f"until {on}" for on in sorted(until))]
    return f"{len(turns)}: {', '.join(told)}" if turns else ""


def _book_line(shown: RuleSetPage) -> str:
    link = f"[{shown.standard}]({shown.name}.md)"
    cells = (link, invoices(shown), revision(shown), len(codes(shown)) or "", len(shown.rows), *counts(shown).values())
    return f"| {' | '.join(map(str, cells))} | {dated(shown)} |"


def _reasons() -> Iterator[str]:
    for shown in PAGES.values():
        by_reason: dict[str, list[str]] = {}
        for row in shown.known:
            if isinstance(row, NotImplementedRow):
                by_reason.setdefault(row.reason, []).append(row.code)
        for reason, rows in by_reason.items():
            yield f"| {shown.standard} | {len(rows)}: {', '.join(rows)} | {reason} |"


def _line(row: AnyRule | NotImplementedRow) -> str:
    code = row.code.partition(":")[0]
    sentence = MESSAGES.get(code) or full_message(code)
    if isinstance(row, NotImplementedRow):
        return f"| {row.code} | `{row.at}` | {sentence} | listed | {row.reason} | |"
    needs = ", ".join([*sorted(row.needs), *(".".join(column) for column in row.columns)])
    cells = (
        row.code,
        f"`{row.at or ROOT}`",
        sentence,
        state(row) + _dates(row),
        needs,
        f"`{row.predicate.__module__}.{row.name}`",
    )
    return f"| {' | '.join(cells)} |"


def _dates(row: AnyRule) -> str:
    since = f" since {row.since}" if row.since > date.min else ""
    return since + (f" until {row.until}" if row.until < date.max else "")


def main(arguments: list[str]) -> None:
    """Prints the page of the book that is named, else that of all books; `--write FOLDER` writes every page."""
    match arguments:
        case ["--write", folder]:
            for name, text in pages():
                (Path(folder) / name).write_text(text, encoding="utf-8")
        case [name]:
            sys.stdout.write(page(name))
        case _:
            sys.stdout.write(coverage())


if __name__ == "__main__":
    main(sys.argv[1:])
