"""The reference page of each rule set, with its rows in the order of the SAT's matrix."""

from __future__ import annotations

from dataclasses import dataclass, field

from timbra.rules.engine.rule import AnyRule, NotImplementedRow
from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.registry import RULE_SETS

FOLDER = "src/timbra/rules/rulesets"
FILE = "README.md"


@dataclass(frozen=True, slots=True)
class RuleSetPage:
    """The content of one page.

    Attributes:
        entries: the rules and rows, in the order of the SAT's codes.
    """

    rule_set: RuleSet
    entries: tuple[AnyRule | NotImplementedRow, ...] = field(repr=False)

    @property
    def name(self) -> str:
        return self.rule_set.name

    @property
    def standard(self) -> str:
        """Spanish name of the standard."""
        return self.rule_set.standard

    @property
    def title(self) -> str:
        return f"The matrix of {self.standard}, row by row" if self.rule_set.prefixes else self.standard

    @property
    def path(self) -> str:
        """Path of the page from the root of the repository."""
        return f"{FOLDER}/{self.rule_set.package.rpartition('.')[2]}/{FILE}"

    @property
    def address(self) -> str:
        """Address of the page below that of a server."""
        return f"/docs/rules/{self.rule_set.package.rpartition('.')[2]}/"

    @property
    def codes(self) -> frozenset[str]:
        return frozenset(row.code for row in self.entries)


def _pages() -> dict[str, RuleSetPage]:
    """Return the page of each name; several rule sets of one name share the page of the first."""
    by_name: dict[str, list[RuleSet]] = {}
    for rule_set in RULE_SETS:
        by_name.setdefault(rule_set.name, []).append(rule_set)
    rows = {name: {row.code: row for each in sets for row in each.rows} for name, sets in by_name.items()}
    pages = {}
    for name, (first, *_) in by_name.items():
        own = dict(rows[name])
        for code, other in first.coverage.items():
            if other != name:
                own[code] = rows[other][code]
        pages[name] = RuleSetPage(first, tuple(sorted(own.values(), key=lambda row: row.sort_key)))
    return pages


PAGES = _pages()
"""Pages by name of the rule set, in the order of the registry."""
