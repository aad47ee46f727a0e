"""Date, kind, place and relations of the document: CFDI33101, CFDI33120, CFDI33125, CFDI33129."""

from __future__ import annotations

from timbra.cfdi.nodes import CfdiRelacionados, Comprobante
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.instants import FECHA
from timbra.rules.engine.result import RuleResult, Severity, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import HEAD, key_of


@rule("CFDI33101", at="@Fecha")
def date_has_its_form(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """The pattern of t_FechaH, and a day that the calendar has."""
    if ctx.local is not None:
        return None
    return Violation(found=comprobante.Fecha, expected=f"el atributo Fecha con el patrón {FECHA}")


@rule("CFDI33120", at="@TipoDeComprobante", reads=HEAD)
def type_is_a_key(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_TipoDeComprobante", comprobante.TipoDeComprobante)


@rule("CFDI33125", at="@LugarExpedicion", reads=HEAD, severity=Severity.WARNING)
def place_of_issue_is_a_postal_code(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """By the postal codes of CFDI 4.0, the only ones at hand."""
    return key_of(ctx, "c_CodigoPostal", comprobante.LugarExpedicion)


@rule("CFDI33129", at="CfdiRelacionados/@TipoRelacion", reads=("TipoRelacion",))
def relation_is_a_key(relacionados: CfdiRelacionados, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_TipoRelacion", relacionados.TipoRelacion)
