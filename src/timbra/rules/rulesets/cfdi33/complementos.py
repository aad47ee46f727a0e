"""Complements of another version of the invoice."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.shared.invoice import editions


@rule("CFDI33196:Complemento-Version", at="Complemento", source="SAT, cadena original de CFDI 3.3")
def complements_belong_to_this_version(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return editions.belongs_to_the_invoice(comprobante, ctx)
