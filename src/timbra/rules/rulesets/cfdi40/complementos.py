"""Complements of another version of the invoice, or of another time."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Severity
from timbra.rules.engine.rule import rule
from timbra.rules.shared.invoice import editions

SOURCE = "SAT, cadena original de CFDI 4.0; fechas de las versiones de los complementos"


@rule("CFDI40999:Complemento-Version", at="Complemento", source=SOURCE)
def complements_belong_to_this_version(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return editions.belongs_to_the_invoice(comprobante, ctx)


@rule("CFDI40999:Complemento-Vigencia", at="Complemento", source=SOURCE, severity=Severity.WARNING)
def complements_are_still_issued(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """SAT has moved such days before, so a validator warns; stamping, long after all of them, refuses."""
    return editions.is_still_issued(comprobante, ctx)
