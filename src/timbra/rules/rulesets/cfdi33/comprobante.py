"""Date of the document: CFDI33101."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule


@rule(
    "CFDI33101",
    at="@Fecha",
    says="Fecha debe tener la forma AAAA-MM-DDThh:mm:ss y ser la hora local de LugarExpedicion.",
    note="La fecha debe cumplir el patrón t_FechaH y existir en el calendario.",
)
def date_is_valid(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if ctx.local is not None:
        return None
    return Violation(found=comprobante.Fecha, expected="una fecha con hora AAAA-MM-DDThh:mm:ss")
