"""The receiver: CFDI33132, CFDI33140, CFDI33141."""

from __future__ import annotations

from timbra.cfdi.nodes import Receptor
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import key_of, person_of

KEYS = ("is_generic", "UsoCFDI", "ResidenciaFiscal", "NumRegIdTrib")
"""What rules about the keys of Receptor read, or the conditions of others."""


def is_generic(receptor: Receptor, _ctx: EvaluationContext) -> bool:
    return receptor.is_generic


def has_own_rfc(receptor: Receptor, _ctx: EvaluationContext) -> bool:
    return not receptor.is_generic


@rule("CFDI33132", at="Receptor/@Rfc", needs=(DataRequirement.TAXPAYERS,), applies=has_own_rfc, applies_reads=KEYS)
def receiver_is_registered(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    """A list of another time than the document's only warns, as always."""
    if ctx.taxpayer(receptor.Rfc) is not None:
        return None
    return Violation(
        found=receptor.Rfc, expected="un RFC inscrito y no cancelado (l_RFC)", hint=ctx.reference_data.registry_hint
    )


@rule("CFDI33140", at="Receptor/@UsoCFDI", reads=KEYS)
def use_is_a_key(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_UsoCFDI", receptor.UsoCFDI)


@rule("CFDI33141", at="Receptor/@UsoCFDI")
def use_fits_its_person(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    row = ctx.row("c_UsoCFDI", receptor.UsoCFDI)
    if row is None or row[person_of(receptor.Rfc)]:
        return None
    expected = f"un uso que aplique al tipo de persona del RFC {receptor.Rfc}"
    return Violation(found=receptor.UsoCFDI, expected=expected)
