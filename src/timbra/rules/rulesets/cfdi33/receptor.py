"""The receiver: CFDI33141."""

from __future__ import annotations

from timbra.cfdi.nodes import Receptor
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import person_of


@rule(
    "CFDI33141",
    at="Receptor/@UsoCFDI",
    says="UsoCFDI debe aplicar al tipo de persona del receptor.",
)
def use_matches_person(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    row = ctx.row("c_UsoCFDI", receptor.UsoCFDI)
    if row is None or row[person_of(receptor.Rfc)]:
        return None
    expected = f"un uso que aplique al tipo de persona del RFC {receptor.Rfc}"
    return Violation(found=receptor.UsoCFDI, expected=expected)
