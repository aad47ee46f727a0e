"""A code to what is known of it: for whoever explains rules to people."""

from __future__ import annotations

from datetime import date

from timbra.rules import seals, shape
from timbra.rules.checking import ENGINE
from timbra.rules.rule import AnyRule, Book, Listed

ALIASES = {f"CFDI40{number}": f"CFDI140{number}" for number in range(223, 228)}
"""SAT prints five codes with seven digits."""


def books() -> tuple[Book, ...]:
    """Every book, those of certificates and seals and of declarations included."""
    return (*ENGINE.books, seals.BOOK, shape.BOOK)


def rows(code: str) -> list[AnyRule | Listed]:
    """The rules of that identity, or all that show the code, whatever the case of its letters."""
    code = ALIASES.get(code.upper(), code)
    every: list[AnyRule | Listed] = []
    for book in books():
        every += [*book.rules, *book.listed]
    folded = code.casefold()
    exact = [row for row in every if row.code.casefold() == folded]
    return exact or [row for row in every if row.code.partition(":")[0].casefold() == folded]


def facts(row: AnyRule | Listed) -> list[tuple[str, str]]:
    """What is known of a row beside its sentence: Spanish words and values, none of them empty."""
    if isinstance(row, Listed):
        return [("Lugar", row.at), ("Estado", f"no se evalúa: {row.reason}")]
    needs = [*sorted(row.needs), *(f"{catalog}.{column}" for catalog, column in row.columns)]
    told = [
        ("Lugar", row.at),
        ("Norma", row.source),
        ("Estado", row.severity.value),
        ("Desde", "" if row.since == date.min else row.since.isoformat()),
        ("Hasta", "" if row.until == date.max else row.until.isoformat()),
        ("Necesita", ", ".join(needs)),
        ("Inseparable de", ", ".join(sorted(row.inseparable))),
        ("Nota", " ".join((row.judge.__doc__ or "").split())),
        ("Función", f"{row.judge.__module__}.{row.name}"),
    ]
    return [(name, value) for name, value in told if value]
