"""Fecha: CFDI40101. Code 401, a rule of `rulesets.certificates`, limits its age."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule


@rule(
    "CFDI40101",
    at="@Fecha",
    says="Fecha debe tener la forma AAAA-MM-DDThh:mm:ss y ser la hora local de LugarExpedicion.",
    note="La fecha debe cumplir el patrón t_FechaH y existir en el calendario.",
)
def date_is_valid(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if ctx.local is not None:
        return None
    hint = "Es la hora local de LugarExpedicion, sin zona: AAAA-MM-DDThh:mm:ss."
    return Violation(found=comprobante.Fecha, expected="una fecha con hora AAAA-MM-DDThh:mm:ss", hint=hint)
