"""Parts of a Concepto: CFDI33172, CFDI33174, CFDI33176."""

from __future__ import annotations

from timbra.cfdi.nodes import Parte
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Severity
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import key_of
from timbra.rules.shared.invoice import line

PARTE = "Conceptos/Concepto/Parte"


@rule("CFDI33172", at=f"{PARTE}/@ClaveProdServ", reads=("ClaveProdServ",), severity=Severity.WARNING)
def product_of_part_is_a_key(parte: Parte, ctx: EvaluationContext) -> RuleResult:
    """By the products of CFDI 4.0, the only ones at hand."""
    return key_of(ctx, "c_ClaveProdServ", parte.ClaveProdServ)


@rule("CFDI33174", at=f"{PARTE}/@ValorUnitario")
def price_of_part_is_positive(parte: Parte, _ctx: EvaluationContext) -> RuleResult:
    return line.price_of_part_is_positive(parte)


@rule("CFDI33176", at=f"{PARTE}/@Importe")
def amount_of_part_is_quantity_times_price(parte: Parte, _ctx: EvaluationContext) -> RuleResult:
    return line.amount_is_the_product(parte)
