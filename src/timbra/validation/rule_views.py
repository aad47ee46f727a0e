"""Rules as the portal shows them: the rule sets, a search, and the explanation of a code with its example documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from timbra.rules.reference.codes import codes_of_digits, find_code, suggestions
from timbra.rules.reference.differences import Difference, differences, indented
from timbra.rules.reference.explanation import Explanation, explanations
from timbra.rules.reference.index import codes, counts, invoices, revision, state
from timbra.rules.reference.messages import REPORTED_AS, full_message
from timbra.rules.reference.pages import PAGES
from timbra.rules.reference.search import SearchEntry, search

TITLES = {
    "nomina12b": "Nómina 1.2 en CFDI 3.3",
    "forma": "Estructura: espacios de nombres, esquemas, lugar de complementos y timbre",
    "sellos": "Certificado, sello, fecha y timbre",
}
STATES = {"rule": "se evalúa", "suspended": "suspendida", "inactive": "inactiva", "not implemented": "sin regla"}
OF_SERVICE = "respuesta del servicio"
"""State of the codes that are none of a rule."""
MAX_DIFFERENCES = 30


@dataclass(frozen=True, slots=True)
class RuleSetRow:
    """One rule set.

    Attributes:
        name: Key of the rule set.
        title: Title, in Spanish.
        invoices: The documents that it applies to.
        revision: Revision of the SAT's matrix.
        codes: Number of SAT codes; 0 for a rule set of Timbra.
        counts: Number of rows by state, in the order of `STATES`.
    """

    name: str
    title: str
    invoices: str
    revision: str
    codes: int
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One row of a rule set.

    Attributes:
        code: Code of the row; a code with several rows has a suffix after a colon.
        finding_code: The code without the suffix, as findings have it.
        rule_set: Key of the rule set.
        at: Path that the rule evaluates.
        sentence: Message of the code, without the code.
        state: State of the rule, in Spanish.
    """

    code: str
    finding_code: str
    rule_set: str
    at: str
    sentence: str
    state: str


def sentence_of(code: str) -> str:
    """Return the sentence of a code, without the code. KeyError for an unknown code."""
    return full_message(code).removeprefix(f"{REPORTED_AS.get(code, code)} - ")


@cache
def rule_set_rows() -> Sequence[RuleSetRow]:
    """Return all rule sets, in the order of their documentation pages."""
    return [
        RuleSetRow(
            name, TITLES.get(name, page.standard), invoices(page), revision(page), len(codes(page)), counts(page)
        )
        for name, page in PAGES.items()
    ]


@cache
def rule_rows() -> Sequence[RuleRow]:
    """Return every row of every rule set; a row that two rule sets share is in the first."""
    found: dict[str, RuleRow] = {}
    for name, page in PAGES.items():
        for row in page.entries:
            code = row.code.partition(":")[0]
            rule_row = RuleRow(row.code, code, name, row.at, sentence_of(code), STATES[state(row)])
            found.setdefault(row.code, rule_row)
    return list(found.values())


def search_rules(query: str, rule_set: str, limit: int) -> tuple[Sequence[RuleRow], int]:
    """Search codes by words, attribute, node, catalog or a part of the code; see `timbra.rules.reference.search`.

    Args:
        query: Words; the rows that match the most of them are returned, the best first. Empty for all rows.
        rule_set: Name of a rule set; empty for all, and for the codes of the service.
        limit: Maximum number of rows.

    Returns:
        The rows, and the total number of matches.
    """
    codes_in_set = _codes_in(rule_set) if rule_set else None
    rows = {row.code: row for row in rule_rows()}
    if query.strip():
        found = [_row(entry, rows) for entry in search(query, codes_in_set)]
    else:
        found = [row for row in rows.values() if codes_in_set is None or row.code in codes_in_set]
    return found[:limit], len(found)


def _row(entry: SearchEntry, rows: Mapping[str, RuleRow]) -> RuleRow:
    if not entry.of_service:
        return rows[entry.code]
    return RuleRow(entry.code, entry.code, "", entry.path, entry.sentence, OF_SERVICE)


def _codes_in(rule_set: str) -> frozenset[str]:
    page = PAGES.get(rule_set)
    return frozenset() if page is None else page.codes


@dataclass(frozen=True, slots=True)
class ExplanationView:
    """One meaning of a code.

    Attributes:
        explanation: Message, facts, cause and remedy.
        differences: Differences of the example documents; empty without them.
        hidden: Number of differences that are not shown.
        documents: Spanish title and XML of each example document, without seal.
    """

    explanation: Explanation
    differences: Sequence[Difference] = ()
    hidden: int = 0
    documents: Sequence[tuple[str, str]] = ()


def known_code(text: str) -> str | None:
    """Return the code that a text writes, also by its digits alone; None when it is unknown or ambiguous."""
    numbered = codes_of_digits(text)
    return find_code(text) or (numbered[0] if len(numbered) == 1 else None)


def near_codes(text: str) -> list[str]:
    """Return the codes nearest to an unknown one, the nearest first."""
    return suggestions(text)


def explanation_views(code: str) -> list[ExplanationView]:
    """Return every meaning of a code that `known_code` returned."""
    return [_view(explanation) for explanation in explanations(code)]


def _view(explanation: Explanation) -> ExplanationView:
    if explanation.example is None:
        return ExplanationView(explanation)
    passing, failing = explanation.example.passing(), explanation.example.failing()
    found = differences(passing, failing)
    documents = (
        ("Documento que cumple la regla", indented(passing)),
        ("Documento que incumple la regla", indented(failing)),
    )
    return ExplanationView(explanation, found[:MAX_DIFFERENCES], max(0, len(found) - MAX_DIFFERENCES), documents)
