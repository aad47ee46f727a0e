"""Conceptos, taxes apart: CFDI33142, CFDI33144, CFDI33145, CFDI33147, CFDI33149 to CFDI33152."""

from __future__ import annotations

from timbra.cfdi.nodes import Concepto
from timbra.cfdi.nodes.base import ZERO
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Severity
from timbra.rules.engine.rule import rule
from timbra.rules.shared.amounts import is_near
from timbra.rules.shared.conditions import key_of
from timbra.rules.shared.invoice import line

CONCEPTO = "Conceptos/Concepto"


@rule("CFDI33142", at=f"{CONCEPTO}/@ClaveProdServ", reads=("ClaveProdServ",), severity=Severity.WARNING)
def product_is_a_key(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    """By the products of CFDI 4.0, the only ones at hand."""
    return key_of(ctx, "c_ClaveProdServ", concepto.ClaveProdServ)


@rule("CFDI33144", at=f"{CONCEPTO}/@ClaveProdServ", columns=line.DEMANDING_COLUMNS, severity=Severity.WARNING)
def product_transfers_its_taxes(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    """By the products of CFDI 4.0, the only ones at hand."""
    return line.transfers_its_taxes(concepto, ctx)


@rule("CFDI33145", at=f"{CONCEPTO}/@ClaveUnidad", reads=("ClaveUnidad",))
def unit_is_a_key(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_ClaveUnidad", concepto.ClaveUnidad)


@rule("CFDI33147", at=f"{CONCEPTO}/@ValorUnitario", types="IEN")
def price_is_positive(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return None if concepto.valor_unitario > ZERO else line.no_price(concepto, ctx)


@rule("CFDI33149", at=f"{CONCEPTO}/@Importe")
def amount_is_quantity_times_price(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    if is_near(concepto.cantidad * concepto.valor_unitario, concepto.importe, concepto.Importe):
        return None
    return line.amount_is_the_product(concepto)


@rule("CFDI33150", at=f"{CONCEPTO}/@Descuento")
def discount_has_the_decimals_of_its_amount(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return None if concepto.Descuento is None else line.decimals_of_discount(concepto, concepto.Descuento)


@rule("CFDI33151", at=f"{CONCEPTO}/@Descuento")
def discount_is_at_most_the_amount(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return None if concepto.descuento <= concepto.importe else line.high_discount(concepto)


def has_tax_node(concepto: Concepto, _ctx: EvaluationContext) -> bool:
    return concepto.has_impuestos


@rule("CFDI33152", at=f"{CONCEPTO}/Impuestos", applies=has_tax_node, applies_reads=("has_impuestos",))
def tax_node_is_not_empty(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return line.tax_node_is_not_empty(concepto)
