"""What goods are worth in dollars: CCE157, CCE158, CCE168, CCE169, CCE171, CCE172.

0 and 1 stand for what has no value, or none that can be told; SAT does not say which goods may have them, so that they
are accepted but where a rule says otherwise.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.comercioexterior20 import Mercancia
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.comercioexterior20.dollars import DECIMALS, worth
from timbra.rules.rulesets.comercioexterior20.fraccion import is_service
from timbra.rules.rulesets.comercioexterior20.goods import SERVICE, Goods
from timbra.rules.shared.amounts import AmountLimits, Factor, product_limits

AT: Final = f"{Mercancia.PATH}/@ValorDolares"
INVOICES: Final = "IE"
UNVALUED: Final = (ZERO, Decimal(1))


def is_valued_by_customs(mercancia: Mercancia, _ctx: EvaluationContext) -> bool:
    return mercancia.CantidadAduana is not None


def is_alone(mercancia: Mercancia, ctx: EvaluationContext) -> bool:
    """Whether its value is that of one Concepto, which customs count as the invoice does."""
    return mercancia.CantidadAduana is None and not ctx.memoize(Goods).of(mercancia).is_shared


def _worth(mercancia: Mercancia, ctx: EvaluationContext) -> Violation | None:
    """The sum over the goods of the number lies within the limits of their Conceptos; told at the first of them."""
    alike = ctx.memoize(Goods).of(mercancia).mercancias
    if alike[0] is not mercancia or any(each.valor in UNVALUED for each in alike):
        return None
    every = worth(ctx, mercancia)
    total = sum([each.valor for each in alike], ZERO)
    if not every or any(limits.lower <= total <= limits.upper for limits in every):
        return None
    return Violation(found=f"{total:f}", expected=f"{every[0]}, el Importe de sus conceptos en dólares")


@rule("CCE157", at=AT, types=INVOICES)
def value_is_that_of_the_conceptos(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    """The sum over the goods of a number; not compared where one of them is 0 or 1."""
    return _worth(mercancia, ctx)


@rule("CCE158", at=AT, types=INVOICES, inseparable=("CCE157",))
def values_of_a_number_are_those_of_its_conceptos(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    """CCE157 where several goods have the number."""
    return _worth(mercancia, ctx) if len(ctx.memoize(Goods).of(mercancia).mercancias) > 1 else None


@rule("CCE168", at=f"{Mercancia.PATH}/@ValorUnitarioAduana")
def goods_have_a_price(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    price = mercancia.ValorUnitarioAduana
    if price is None or mercancia.valor_unitario > 0 or mercancia.UnidadAduana == SERVICE:
        return None
    return Violation(found=price, expected=f"mayor que cero, por UnidadAduana distinta de {SERVICE}")


def _counted(mercancia: Mercancia) -> AmountLimits:
    quantity = Factor(mercancia.CantidadAduana or "", mercancia.cantidad)
    price = Factor(mercancia.ValorUnitarioAduana or "", mercancia.valor_unitario)
    return product_limits(quantity, price, DECIMALS)


def _is_product(mercancia: Mercancia) -> RuleResult:
    limits = _counted(mercancia)
    if limits.lower <= mercancia.valor <= limits.upper:
        return None
    expected = f"{limits}, CantidadAduana por ValorUnitarioAduana"
    return Violation(found=mercancia.ValorDolares, expected=expected)


@rule("CCE169", at=AT, applies=is_valued_by_customs)
def value_is_quantity_times_price(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    """Or 1."""
    return None if mercancia.valor == 1 else _is_product(mercancia)


@rule("CCE171", at=AT, applies=is_valued_by_customs, inseparable=("CCE169",))
def other_value_is_quantity_times_price(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    """CCE169 for other values than 0 and 1."""
    return None if mercancia.valor in UNVALUED else _is_product(mercancia)


@rule("CCE172", at=AT, types=INVOICES, applies=is_alone)
def lone_value_is_that_of_its_concepto(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    """Or 1; 0 for a service."""
    if mercancia.valor or is_service(mercancia, ctx):
        return _worth(mercancia, ctx)
    return Violation(found=mercancia.ValorDolares, expected="el valor en dólares: 0 es de servicios")
