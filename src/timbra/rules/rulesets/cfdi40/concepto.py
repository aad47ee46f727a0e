"""Conceptos, product and amounts: CFDI40162 to CFDI40169."""

from __future__ import annotations

from timbra.cfdi.nodes import Concepto
from timbra.cfdi.nodes.base import ZERO
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.amounts import is_near
from timbra.rules.shared.conditions import key_of
from timbra.rules.shared.invoice import line


@rule("CFDI40162", at="Conceptos/Concepto/@ClaveProdServ", reads=("ClaveProdServ",))
def product_is_a_key(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_ClaveProdServ", concepto.ClaveProdServ)


@rule("CFDI40164", at="Conceptos/Concepto/@ClaveProdServ", columns=line.DEMANDING_COLUMNS)
def product_transfers_its_taxes(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return line.transfers_its_taxes(concepto, ctx)


@rule("CFDI40165", at="Conceptos/Concepto/@ClaveUnidad", reads=("ClaveUnidad",))
def unit_is_a_key(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_ClaveUnidad", concepto.ClaveUnidad)


@rule("CFDI40166", at="Conceptos/Concepto/@ValorUnitario", types="IEN")
def price_is_positive(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return None if concepto.valor_unitario > ZERO else line.no_price(concepto, ctx)


@rule("CFDI40167", at="Conceptos/Concepto/@Importe")
def amount_is_quantity_times_price(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    if is_near(concepto.cantidad * concepto.valor_unitario, concepto.importe, concepto.Importe):
        return None
    return line.amount_is_the_product(concepto)


@rule("CFDI40168", at="Conceptos/Concepto/@Descuento")
def discount_has_the_decimals_of_its_amount(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return None if concepto.Descuento is None else line.decimals_of_discount(concepto, concepto.Descuento)


@rule("CFDI40169", at="Conceptos/Concepto/@Descuento")
def discount_is_at_most_the_amount(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return None if concepto.descuento <= concepto.importe else line.high_discount(concepto)


@rule("CFDI40999:Concepto-Descuento", at="Conceptos/Concepto/@Descuento", types="TP")
def discount_is_absent(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    if concepto.Descuento is None:
        return None
    tipo = ctx.comprobante.TipoDeComprobante
    return Violation(found=concepto.Descuento, expected=f"que no exista en un comprobante de tipo {tipo}")
