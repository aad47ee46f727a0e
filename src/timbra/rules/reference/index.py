"""Reference pages of the rules in Markdown: one page for each rule set, and an overview of all of them."""

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
RULES_HEADER = "| code | path | requirement | state | needs | function |\n|---|---|---|---|---|---|"
RULE_SETS_HEADER = (
    "| rule set | CFDI | revision | SAT codes | rows | rules | suspended | inactive | not implemented "
    "| rows with dates |\n|---|---|---|---|---|---|---|---|---|---|"
)
STATES = ("rule", "suspended", "inactive", "not implemented")
OVERVIEW = "README.md"


def page(name: str) -> str:
    """Return the page of a rule set in Markdown; KeyError for an unknown name."""
    rule_set_page = PAGES[name]
    entries = rule_set_page.entries
    count_by_state = ", ".join(f"{count} {each}" for each, count in Counter(map(state, entries)).items())
    note = f"Generated from the rules by `{COMMAND} {name}`."
    lines = (f"# {rule_set_page.title}\n", f"{note}\n", f"Rows: {count_by_state}.\n", RULES_HEADER)
    return "\n".join((*lines, *map(_line, entries), ""))


def overview() -> str:
    """Return the page of all rule sets in Markdown."""
    lines = (
        "# All rule sets\n",
        f"Generated from the rules by `{COMMAND}`.\n",
        "A row is a code of an error matrix of the SAT, or a requirement that is reported with the matrix's code for",
        "unclassified errors. The states of a row:\n",
        "- rule: a violation is an error or a warning.",
        "- suspended: the SAT published the rule and has not enabled it yet.",
        "- inactive: the SAT says that the rule is not applied.",
        "- not implemented: there is no rule, for the reason given below.\n",
        "Every rule has an example document that satisfies it and one that violates it:",
        "`timbra explain CODE --example pass` and `fail`.\n",
        RULE_SETS_HEADER,
        *map(_rule_set_line, PAGES.values()),
        "\n## Rows that are not implemented\n",
        "| rule set | rows | reason |\n|---|---|---|",
        *_reasons(),
        "\nAgreement of the rules with public documents: [agreement.md](agreement.md).",
        "",
    )
    return "\n".join(lines)


def pages() -> Iterator[tuple[str, str]]:
    """Yield file name and text of every page."""
    yield OVERVIEW, overview()
    for name in PAGES:
        yield f"{name}.md", page(name)


def state(row: AnyRule | NotImplementedRow) -> str:
    """Return the state of a row, one of `STATES`."""
    if isinstance(row, NotImplementedRow):
        return "not implemented"
    return str(row.severity) if row.severity in (Severity.SUSPENDED, Severity.INACTIVE) else "rule"


def counts(rule_set_page: RuleSetPage) -> dict[str, int]:
    """Return the number of rows in each of `STATES`."""
    found = Counter(map(state, rule_set_page.entries))
    return {name: found[name] for name in STATES}


def codes(rule_set_page: RuleSetPage) -> set[str]:
    """Return the codes of the SAT's matrix that the page has; none for a rule set without a matrix."""
    prefixes = rule_set_page.codes
    return {row.partition(":")[0] for row in rule_set_page.rows if prefixes and row.startswith(prefixes)}


def invoices(rule_set_page: RuleSetPage) -> str:
    """Return the versions of Comprobante that the rules concern, newest first."""
    own = [rule_set for rule_set in rule_set_page.rule_sets if rule_set.name == rule_set_page.name]
    return ", ".join(sorted({version for rule_set in own for version in rule_set.versions}, reverse=True))


def revision(rule_set_page: RuleSetPage) -> str:
    """Return the revision of the matrix."""
    return rule_set_page.rule_sets[-1].revision


def dated(rule_set_page: RuleSetPage) -> str:
    """Return the number of rules that are in force for a limited time, with the first and last dates."""
    rules = [row for row in rule_set_page.entries if not isinstance(row, NotImplementedRow) and _dates(row)]
    since = {row.since for row in rules} - {date.min}
    until = {row.until for row in rules} - {date.max}
    dates = [*(f"since {on}" for on in sorted(since)), *(f"until {on}" for on in sorted(until))]
    return f"{len(rules)}: {', '.join(dates)}" if rules else ""


def _rule_set_line(rule_set_page: RuleSetPage) -> str:
    cells = (
        f"[{rule_set_page.standard}]({rule_set_page.name}.md)",
        invoices(rule_set_page),
        revision(rule_set_page),
        len(codes(rule_set_page)) or "",
        len(rule_set_page.rows),
        *counts(rule_set_page).values(),
    )
    return f"| {' | '.join(map(str, cells))} | {dated(rule_set_page)} |"


def _reasons() -> Iterator[str]:
    for rule_set_page in PAGES.values():
        by_reason: dict[str, list[str]] = {}
        for row in rule_set_page.entries:
            if isinstance(row, NotImplementedRow):
                by_reason.setdefault(row.reason, []).append(row.code)
        for reason, rows in by_reason.items():
            yield f"| {rule_set_page.standard} | {len(rows)}: {', '.join(rows)} | {reason} |"


def _line(row: AnyRule | NotImplementedRow) -> str:
    code = row.code.partition(":")[0]
    sentence = MESSAGES.get(code) or full_message(code)
    if isinstance(row, NotImplementedRow):
        return f"| {row.code} | `{row.at}` | {sentence} | {state(row)} | {row.reason} | |"
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
    """Print the page of a rule set, or the overview without a name; `--write FOLDER` writes every page."""
    match arguments:
        case ["--write", folder]:
            for name, text in pages():
                (Path(folder) / name).write_text(text, encoding="utf-8")
        case [name]:
            sys.stdout.write(page(name))
        case _:
            sys.stdout.write(overview())


if __name__ == "__main__":
    main(sys.argv[1:])
