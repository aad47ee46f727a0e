"""Fuel is sold with its complement: the demand on invoices that lack it."""

from __future__ import annotations

from timbra.cfdi.nodes import Concepto
from timbra.cfdi.nodes.hidroypetro10 import TAG
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.hidroypetro10.matrix import ANEXO_29, SINCE
from timbra.rules.rulesets.hidroypetro10.producto import FUELS


def is_fuel(concepto: Concepto, ctx: EvaluationContext) -> bool:
    return ctx.in_force(FUELS, concepto.ClaveProdServ)


@rule(
    "CFDI40999:HYP-required",
    at="Conceptos/Concepto/ComplementoConcepto",
    source=ANEXO_29,
    types="IE",
    since=SINCE,
    applies=is_fuel,
    applies_reads=("ClaveProdServ",),
)
def fuel_carries_its_permit(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    """One complement Hidrocarburos y Petrolíferos in each Concepto of gasoline or diesel."""
    count = sum(element.tag == TAG for element in concepto.complementos)
    if count == 1:
        return None
    expected = f"un complemento Hidrocarburos y Petrolíferos, por ClaveProdServ {concepto.ClaveProdServ}"
    return Violation(found=f"{count} complementos" if count else None, expected=expected)
