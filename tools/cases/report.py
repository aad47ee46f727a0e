"""The comparison of a harness as a table of the terminal, and as the generated part of docs/cases.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tools.cases.comparison import Answered, Comparison, Outcome
from tools.markdown import items

BEGIN, END = "<!-- differences: written by python -m tools.cases run -->", "<!-- end of differences -->"
MOST_LISTED = 20
"""Differences that are listed one by one; more are counted by class."""


def print_comparison(console: Console, comparison: Comparison) -> None:
    """Print the outcomes by rule set, then the first differences."""
    table = Table("rule set", *map(str, Outcome), title=comparison.name)
    for name, answers in _by_rule_set(comparison).items():
        table.add_row(name, *map(str, _counts(answers)))
    table.add_section()
    table.add_row("all", *map(str, _counts(comparison.answers)))
    console.print(table)
    for each in comparison.differences[:MOST_LISTED]:
        console.print(_difference(each), markup=False)


def write_page(page: Path, comparisons: Sequence[Comparison]) -> None:
    """Replace the part between the two marks of a page; ValueError when a mark is absent."""
    before, rest = page.read_text("utf-8").split(BEGIN)
    _, after = rest.split(END)
    page.write_text(f"{before}{BEGIN}\n\n{differences(comparisons)}\n{END}{after}", "utf-8")


def differences(comparisons: Sequence[Comparison]) -> str:
    """Return the generated part: a table of all harnesses, then the differences of each one."""
    head = ("harness", "cases", *map(str, Outcome))
    rows = [(each.name, len(each.answers), *_counts(each.answers)) for each in comparisons]
    day = datetime.now(UTC).date()
    lines = [f"Compared on {day} with the cases of Timbra {version('timbra')}.", "", *_table(head, rows)]
    for comparison in comparisons:
        lines += ["", f"### {comparison.name}", "", *_details(comparison)]
    return "\n".join([*lines, ""])


def _details(comparison: Comparison) -> list[str]:
    unevaluated = Counter(each.error for each in comparison.of(Outcome.CANNOT_EVALUATE))
    lines = items(f"cannot evaluate, {number}: {reason}." for reason, number in sorted(unevaluated.items()))
    if not comparison.differences:
        return [*lines, *items(["No answer differs."])]
    if len(comparison.differences) <= MOST_LISTED:
        return [*lines, *items(map(_difference, comparison.differences))]
    rows = [(name, len(answers), *_counts(answers)) for name, answers in _by_rule_set(comparison).items()]
    table = _table(("rule set", "cases", *map(str, Outcome)), rows)
    return [*lines, *([""] if lines else []), *table]


def _difference(answered: Answered) -> str:
    case = answered.case
    expected, found = (", ".join(codes) or "none" for codes in (case["codes"], answered.codes))
    return f"`{case['id']}`: {answered.outcome}; codes {expected} expected, {found} answered."


def _by_rule_set(comparison: Comparison) -> dict[str, list[Answered]]:
    found: dict[str, list[Answered]] = {}
    for each in comparison.answers:
        found.setdefault(each.case["ruleSet"], []).append(each)
    return found


def _counts(answers: Sequence[Answered]) -> list[int]:
    counted = Counter(each.outcome for each in answers)
    return [counted[outcome] for outcome in Outcome]


def _table(head: Sequence[object], rows: Sequence[Sequence[object]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(map(str, row))} |" for row in lines]
