"""Parts of a Concepto: CFDI40196 to CFDI40198."""

from __future__ import annotations

from timbra.cfdi.nodes import Parte
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import key_of
from timbra.rules.shared.invoice import line


@rule("CFDI40196", at="Conceptos/Concepto/Parte/@ClaveProdServ", reads=("ClaveProdServ",))
def product_of_part_is_a_key(parte: Parte, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_ClaveProdServ", parte.ClaveProdServ)


@rule("CFDI40197", at="Conceptos/Concepto/Parte/@ValorUnitario")
def price_of_part_is_positive(parte: Parte, _ctx: EvaluationContext) -> RuleResult:
    return line.price_of_part_is_positive(parte)


@rule("CFDI40198", at="Conceptos/Concepto/Parte/@Importe")
def amount_of_part_is_quantity_times_price(parte: Parte, _ctx: EvaluationContext) -> RuleResult:
    return line.amount_is_the_product(parte)
