"""Look-up of rules by code, with their metadata as Spanish texts for users."""

from __future__ import annotations

from datetime import date

from timbra.messages.rule_notes import NOTES
from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule import AnyRule, NotImplementedRow, RuleSet
from timbra.rules.registry import ENGINE
from timbra.rules.rulesets import certificates as seals
from timbra.rules.rulesets import declarations as shape

ALIASES = {f"CFDI40{number}": f"CFDI140{number}" for number in range(223, 228)}
"""Five codes that the SAT prints with seven digits, by the code with five."""
STATES = {
    Severity.ERROR: "error",
    Severity.WARNING: "aviso",
    Severity.SUSPENDED: "suspendida: el SAT la publicó y no la ha habilitado",
    Severity.INACTIVE: "inactiva: el SAT indica que no se aplica",
}
"""Spanish names of the effects of a violation."""


def rule_sets() -> tuple[RuleSet, ...]:
    """Return every rule set, with those of certificates and seals and of declarations."""
    return (*ENGINE.rule_sets, seals.RULE_SET, shape.RULE_SET)


def rows(code: str) -> list[AnyRule | NotImplementedRow]:
    """Return the rules and rows of a code, in any letter case.

    Args:
        code: code of one rule (`CFDI40999:Pagos-required`), or code of findings (`CFDI40999`), which several may have.
    """
    code = ALIASES.get(code.upper(), code)
    all_rows: list[AnyRule | NotImplementedRow] = []
    for rule_set in rule_sets():
        all_rows += [*rule_set.rules, *rule_set.not_implemented]
    folded = code.casefold()
    exact = [row for row in all_rows if row.code.casefold() == folded]
    return exact or [row for row in all_rows if row.code.partition(":")[0].casefold() == folded]


def facts(row: AnyRule | NotImplementedRow) -> list[tuple[str, str]]:
    """Return the metadata of a row as Spanish labels and values; empty values are omitted."""
    if isinstance(row, NotImplementedRow):
        return [("Lugar", row.at), ("Estado", f"no se evalúa: {row.reason}")]
    needs = [*sorted(row.needs), *(f"{catalog}.{column}" for catalog, column in row.columns)]
    values = [
        ("Lugar", row.at),
        ("Norma", row.source),
        ("Estado", STATES[row.severity]),
        ("Desde", "" if row.since == date.min else row.since.isoformat()),
        ("Hasta", "" if row.until == date.max else row.until.isoformat()),
        ("Necesita", ", ".join(needs)),
        ("Inseparable de", ", ".join(sorted(row.inseparable))),
        ("Nota", NOTES.get(row.code, "")),
    ]
    return [(name, value) for name, value in values if value]
