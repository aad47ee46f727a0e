"""Look-up of rules by code, with their metadata as Spanish texts for users."""

from __future__ import annotations

from datetime import date
from functools import cache
from typing import TYPE_CHECKING

from timbra.messages.codes import FINDING_CODES
from timbra.rules.engine.profiles import STAMP, VALIDATE, Profile
from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule import AnyRule, NoExample, NotImplementedRow
from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.registry import RULE_SETS

if TYPE_CHECKING:
    from timbra.examples.codes.example import Example

_Rows = dict[str, list[AnyRule | NotImplementedRow]]

ALIASES = {
    **{f"CFDI40{number}": f"CFDI140{number}" for number in range(223, 228)},
    **{code: name for name, code in FINDING_CODES.items()},
}
"""Five codes that the SAT prints with seven digits, by the code with five; names of findings by their codes."""
PUBLIC_CODE = "Código en la API"
STATES = {
    Severity.ERROR: "error",
    Severity.WARNING: "aviso",
    Severity.SUSPENDED: "suspendida: el SAT la publicó y no la ha habilitado",
    Severity.INACTIVE: "inactiva: el SAT indica que no se aplica",
}
"""Spanish names of the effects of a violation."""
ROOT = "Comprobante"
"""Place of the rules that concern the root."""


def rows(code: str) -> list[AnyRule | NotImplementedRow]:
    """Return the rules and rows of a code, in any letter case.

    Args:
        code: code of one rule (`CFDI40999:Pagos-required`), or code of findings (`CFDI40999`), which several may have.
    """
    folded = ALIASES.get(code.upper(), code).casefold()
    by_code, by_display_code = _rows()
    return list(by_code.get(folded) or by_display_code.get(folded, []))


@cache
def _rows() -> tuple[_Rows, _Rows]:
    """Return all rows by code, and by code of findings, in lower case."""
    by_code: _Rows = {}
    by_display_code: _Rows = {}
    for rule_set in RULE_SETS:
        for row in rule_set.rows:
            code = row.code.casefold()
            by_code.setdefault(code, []).append(row)
            by_display_code.setdefault(code.partition(":")[0], []).append(row)
    return by_code, by_display_code


def reported_with(code: str) -> list[AnyRule]:
    """Return the rules whose messages begin with the code although they have another."""
    return [rule for rule_set in RULE_SETS for rule in rule_set.rules if rule.reported_as == code]


def facts(row: AnyRule | NotImplementedRow) -> list[tuple[str, str]]:
    """Return the metadata of a row as Spanish labels and values; empty values are omitted."""
    if isinstance(row, NotImplementedRow):
        return [("Lugar", row.at), ("Norma", row.source), ("Estado", f"no se evalúa: {row.reason}")]
    needs = [*sorted(row.needs), *(f"{catalog}.{column}" for catalog, column in row.columns)]
    values = [
        ("Lugar", row.at or ROOT),
        ("Norma", row.source),
        ("Estado", STATES[row.severity]),
        ("Al timbrar", _severity(row, STAMP)),
        ("Al validar", _severity(row, VALIDATE)),
        ("Se informa como", row.reported_as),
        (PUBLIC_CODE, FINDING_CODES.get(row.code, "")),
        ("Vigencia", _dates(row)),
        ("TipoDeComprobante", ", ".join(row.types)),
        ("Necesita", ", ".join(needs) or "solo el documento"),
        ("Inseparable de", ", ".join(sorted(row.inseparable))),
        ("Se informa después de", row.reported_after),
        ("Nota", row.note),
        ("Ejemplo", _example_note(row)),
    ]
    return [(name, value) for name, value in values if value]


def _example_note(row: AnyRule) -> str:
    """Return what the two documents do not show by themselves."""
    from timbra.examples.codes.seals import SealedPair, StampedPair

    fails = row.fails
    if isinstance(fails, NoExample):
        return f"no hay: {fails}"
    if isinstance(fails, SealedPair | StampedPair):
        return f"en el documento que incumple, {fails.defect}"
    return "se muestra con datos que ninguna fuente tiene" if row.fails_with else ""


def _severity(row: AnyRule, profile: Profile) -> str:
    severity = profile.severity(row)
    if severity is None:
        return "no se evalúa"
    return STATES[severity]


def _dates(row: AnyRule) -> str:
    since = "" if row.since == date.min else f"desde {row.since.isoformat()}"
    until = "" if row.until == date.max else f"hasta {row.until.isoformat()}"
    return " ".join(filter(None, (since, until))) or "toda fecha"


def example_of(row: AnyRule) -> Example | None:
    """Return the pair of documents of a rule, None when the rule has none."""
    return rule_set_of(row).example(row.code)


def rule_set_of(row: AnyRule) -> RuleSet:
    """Return the rule set that has a rule."""
    return next(each for each in RULE_SETS if any(row is other for other in each.rules))
