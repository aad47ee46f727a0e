"""A code to what is known of it: for whoever explains rules to people."""

from __future__ import annotations

from datetime import date

from timbra.rules.engine.rule import AnyRule, NotImplementedRow, RuleSet
from timbra.rules.registry import ENGINE
from timbra.rules.rulesets import certificates as seals
from timbra.rules.rulesets import declarations as shape

ALIASES = {f"CFDI40{number}": f"CFDI140{number}" for number in range(223, 228)}
"""SAT prints five codes with seven digits."""


def rule_sets() -> tuple[RuleSet, ...]:
    """Every book, those of certificates and seals and of declarations included."""
    return (*ENGINE.rule_sets, seals.RULE_SET, shape.RULE_SET)


def rows(code: str) -> list[AnyRule | NotImplementedRow]:
    """The rules of that identity, or all that show the code, whatever the case of its letters."""
    code = ALIASES.get(code.upper(), code)
    every: list[AnyRule | NotImplementedRow] = []
    for book in rule_sets():
        every += [*book.rules, *book.not_implemented]
    folded = code.casefold()
    exact = [row for row in every if row.code.casefold() == folded]
    return exact or [row for row in every if row.code.partition(":")[0].casefold() == folded]


def facts(row: AnyRule | NotImplementedRow) -> list[tuple[str, str]]:
    """What is known of a row beside its sentence: Spanish words and values, none of them empty."""
    if isinstance(row, NotImplementedRow):
        return [("Lugar", row.at), ("Estado", f"no se evalúa: {row.reason}")]
    needs = [*sorted(row.needs), *(f"{catalog}.{column}" for catalog, column in row.columns)]
    values = [
        ("Lugar", row.at),
        ("Norma", row.source),
        ("Estado", row.severity.value),
        ("Desde", "" if row.since == date.min else row.since.isoformat()),
        ("Hasta", "" if row.until == date.max else row.until.isoformat()),
        ("Necesita", ", ".join(needs)),
        ("Inseparable de", ", ".join(sorted(row.inseparable))),
        ("Nota", " ".join((row.predicate.__doc__ or "").split())),
        ("Función", f"{row.predicate.__module__}.{row.name}"),
    ]
    return [(name, value) for name, value in values if value]
