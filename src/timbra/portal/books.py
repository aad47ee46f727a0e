"""The books of rules for people: what each covers, and rules found by words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from timbra.messages import full_message
from timbra.rules.index import codes, counts, invoices, revision, state
from timbra.rules.pages import PAGES

TITLES = {
    "nomina12b": "Nómina 1.2 en CFDI 3.3",
    "forma": "Estructura: espacios de nombres, esquemas, lugar de complementos y timbre",
    "sellos": "Certificado, sello, fecha y timbre",
}
STATES = {"rule": "se evalúa", "suspended": "suspendida", "inactive": "inactiva", "listed": "sin regla"}


@dataclass(frozen=True, slots=True)
class BookLine:
    """codes: of SAT, 0 for a book of the provider. counts: rows by state, in the order of `STATES`."""

    name: str
    title: str
    invoices: str
    revision: str
    codes: int
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One row of a book. shown: the code that findings carry."""

    code: str
    shown: str
    book: str
    at: str
    sentence: str
    state: str


def sentence_of(code: str) -> str:
    """What a code says, without the code. KeyError for an unknown one."""
    return full_message(code).removeprefix(f"{code} - ")


@cache
def book_lines() -> Sequence[BookLine]:
    """All books, in the order of their pages."""
    return [
        BookLine(name, TITLES.get(name, page.standard), invoices(page), revision(page), len(codes(page)), counts(page))
        for name, page in PAGES.items()
    ]


@cache
def rule_lines() -> Sequence[RuleLine]:
    """Every row of every book; one that two books share stands in the first."""
    found: dict[str, RuleLine] = {}
    for name, page in PAGES.items():
        for row in page.known:
            shown = row.code.partition(":")[0]
            line = RuleLine(row.code, shown, name, row.at, sentence_of(shown), STATES[state(row)])
            found.setdefault(row.code, line)
    return list(found.values())


def search(wanted: str, book: str, limit: int) -> tuple[Sequence[RuleLine], int]:
    """Rows of a book (of all for "") that contain every word in code, place or sentence; how many there are in all."""
    words = wanted.casefold().split()
    kept = _rows_of(book) if book else None
    found = [
        line
        for line in rule_lines()
        if (kept is None or line.code in kept)
        and all(word in f"{line.code} {line.at} {line.sentence}".casefold() for word in words)
    ]
    return found[:limit], len(found)


def _rows_of(book: str) -> frozenset[str]:
    page = PAGES.get(book)
    return frozenset() if page is None else frozenset(page.rows)
