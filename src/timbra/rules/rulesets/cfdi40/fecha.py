"""Fecha: CFDI40101. Its window is 401, with the checks of the seal."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.instants import FECHA
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule


@rule("CFDI40101", at="@Fecha")
def date_has_its_form(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """The pattern of t_FechaH, and a day that the calendar has."""
    if ctx.local is not None:
        return None
    hint = "Es la hora local de LugarExpedicion, sin zona: AAAA-MM-DDThh:mm:ss."
    return Violation(found=comprobante.Fecha, expected=f"el atributo Fecha con el patrón {FECHA}", hint=hint)
