"""Reference pages of the rules in Markdown: one page for each rule set, and an overview of all of them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

from timbra.rules.engine.citation import SOURCE_UNKNOWN
from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule import AnyRule, NoExample, NotImplementedRow, Rule
from timbra.rules.reference.pages import PAGES, RuleSetPage

ROOT = "Comprobante"
COMMAND = "python -m timbra.rules.reference.index --write"
RULES_HEADER = "| code | path | requirement | source | state | needs | predicate |\n|---|---|---|---|---|---|---|"
RULE_SETS_HEADER = (
    "| rule set | CFDI | codes | hold | listed | not evaluated | page |\n|---|---|---:|---:|---:|---:|---|"
)
HOLDS, LISTED, NOT_EVALUATED = "holds", "listed", "not evaluated"
STATES = ("rule", "suspended", "inactive", "not implemented")
OVERVIEW = Path("docs/rules/README.md")


def page(name: str) -> str:
    """Return the page of a rule set in Markdown; KeyError for an unknown name."""
    rule_set_page = PAGES[name]
    entries = rule_set_page.entries
    lines = (
        f"# {rule_set_page.title}\n",
        f"Generated from the rules by `{COMMAND}`. Revision {revision(rule_set_page)}.\n",
        f"Rows: {_counted(map(state, entries))}.",
        f"Source unknown: {sum(row.cites is SOURCE_UNKNOWN for row in entries)}.",
        f"Examples: {_counted(_example_state(row) for row in entries if isinstance(row, Rule))}.\n",
        RULES_HEADER,
    )
    return "\n".join((*lines, *map(_line, entries), ""))


def _counted(states: Iterable[str]) -> str:
    return ", ".join(f"{count} {each}" for each, count in Counter(states).items())


def _example_state(rule: AnyRule) -> str:
    if isinstance(rule.fails, NoExample):
        return f"without example ({rule.fails.name.lower().replace('_', ' ')})"
    return "with tables of their own" if rule.fails_with else "with the data in force"


def overview() -> str:
    """Return the page of all rule sets in Markdown."""
    lines = (
        "# All rule sets\n",
        f"Generated from the rules by `{COMMAND}`.\n",
        "A row is a code of an error matrix of the SAT, or a requirement that is reported with the matrix's code for",
        "unclassified errors. The states of a row:\n",
        "- rule: a violation is an error or a warning.",
        "- suspended: the SAT published the rule and has not enabled it yet; see `TIMBRA_CONFIRMATIONS`.",
        "- inactive: the SAT says that the rule is not applied.",
        "- not implemented: there is no rule, for the reason in its row.\n",
        "Every rule is one record in the folder of its rule set: sentence, source, place, dates and predicate. The",
        "module `examples` of the folder has its failing document. `timbra explain CODE` prints it; with",
        "`--example pass` and `--example fail`, its two documents.",
        "`timbra explain --rule-sets` prints the revisions and the number of rows.\n",
        "The codes of each matrix by what an example document shows with the data of a new sandbox:\n",
        "- hold: a pair of documents shows the code, one with it and one without.",
        "- listed: the code is known and no document gets it: suspended, inactive, not implemented or without example.",
        "- not evaluated: the rule needs data that are not at hand; reports list it under the rules not evaluated.\n",
        RULE_SETS_HEADER,
        *map(_rule_set_line, PAGES.values()),
        _total_line(),
        "\nAgreement of the rules with public documents: [agreement.md](agreement.md).",
        "",
    )
    return "\n".join(lines)


def pages() -> Iterator[tuple[Path, str]]:
    """Yield the path, from the root of the repository, and the text of every page."""
    yield OVERVIEW, overview()
    for name, rule_set_page in PAGES.items():
        yield Path(rule_set_page.path), page(name)


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
    """Return the codes of the SAT's matrix; none for a rule set without a matrix."""
    return set(rule_set_page.rule_set.coverage)


def evidence(rule_set_page: RuleSetPage) -> dict[str, int]:
    """Return how many codes of the SAT's matrix hold, are listed only, or are not evaluated for lack of data."""
    found: dict[str, set[str]] = {code: set() for code in codes(rule_set_page)}
    for row in rule_set_page.entries:
        code = row.code.partition(":")[0]
        if code in found:
            found[code].add(evidence_of(row))
    order = (HOLDS, NOT_EVALUATED, LISTED)
    counted = Counter(next((each for each in order if each in kinds), LISTED) for kinds in found.values())
    return {kind: counted[kind] for kind in (HOLDS, LISTED, NOT_EVALUATED)}


def evidence_of(row: AnyRule | NotImplementedRow) -> str:
    """Return what an example document shows of a row with the data of a new sandbox."""
    if not isinstance(row, Rule) or state(row) != "rule" or isinstance(row.fails, NoExample):
        return LISTED
    return NOT_EVALUATED if row.fails_with else HOLDS


def invoices(rule_set_page: RuleSetPage) -> str:
    """Return the versions of Comprobante that the rules concern, newest first."""
    return ", ".join(sorted(rule_set_page.rule_set.versions, reverse=True))


def revision(rule_set_page: RuleSetPage) -> str:
    return rule_set_page.rule_set.revision


def _rule_set_line(rule_set_page: RuleSetPage) -> str:
    numbers = (len(codes(rule_set_page)), *evidence(rule_set_page).values())
    link = f"[{rule_set_page.name}](../../{rule_set_page.path})"
    shown = " | ".join(map(str, numbers) if numbers[0] else ["—"] * len(numbers))
    return f"| {rule_set_page.standard} | {invoices(rule_set_page)} | {shown} | {link} |"


def _total_line() -> str:
    """Return the sums; a code that two matrices list counts in both."""
    every = [(len(codes(each)), *evidence(each).values()) for each in PAGES.values()]
    return f"| all | | {' | '.join(str(sum(column)) for column in zip(*every, strict=True))} | |"


def _line(row: AnyRule | NotImplementedRow) -> str:
    if isinstance(row, NotImplementedRow):
        return f"| {row.code} | `{row.at}` | {row.says} | {row.source} | {state(row)} | {row.reason} | |"
    needs = ", ".join([*sorted(row.needs), *(".".join(column) for column in row.columns)])
    cells = (
        row.code,
        f"`{row.at or ROOT}`",
        row.says,
        row.source,
        state(row) + _dates(row),
        needs,
        f"`{row.predicate.__module__.removeprefix('timbra.rules.')}.{row.name}`",
    )
    return f"| {' | '.join(cells)} |"


def _dates(row: AnyRule) -> str:
    since = f" since {row.since}" if row.since > date.min else ""
    return since + (f" until {row.until}" if row.until < date.max else "")


def main(arguments: list[str]) -> None:
    """Print the page of a rule set, or the overview without a name; `--write ROOT` writes every page."""
    match arguments:
        case ["--write", *root]:
            for path, text in pages():
                (Path(*root) / path).write_text(text, encoding="utf-8")
        case [name]:
            sys.stdout.write(page(name))
        case _:
            sys.stdout.write(overview())


if __name__ == "__main__":
    main(sys.argv[1:])
