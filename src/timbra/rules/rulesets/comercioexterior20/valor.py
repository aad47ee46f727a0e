"""ValorDolares: CCE157, CCE158, CCE168, CCE169, CCE171, CCE172.

The values 0 and 1 mean that the goods have no known value. SAT does not state which goods may have them, so they are
accepted except where a rule states otherwise.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.comercioexterior20 import Mercancia
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.comercioexterior20.goods import DECIMALS, SERVICE, Goods, value_limits
from timbra.rules.rulesets.comercioexterior20.mercancias import is_service
from timbra.rules.shared.amounts import AmountLimits, Factor, product_limits

INVOICES: Final = "IE"
UNVALUED: Final = (ZERO, Decimal(1))
"""Values of ValorDolares for goods without a known value."""


def is_valued_by_customs(mercancia: Mercancia, _ctx: EvaluationContext) -> bool:
    return mercancia.CantidadAduana is not None


def is_valued_as_invoiced(mercancia: Mercancia, ctx: EvaluationContext) -> bool:
    """Whether a Mercancia without CantidadAduana is the only one of its number, with one Concepto."""
    return mercancia.CantidadAduana is None and not ctx.memoize(Goods).of(mercancia).is_shared


def value_is_in_limits_of_conceptos(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    """The sum of ValorDolares of a number is within the limits of its Conceptos; reported at the first Mercancia."""
    alike = ctx.memoize(Goods).of(mercancia).mercancias
    if alike[0] is not mercancia or any(each.valor in UNVALUED for each in alike):
        return None
    every = value_limits(ctx, mercancia)
    total = sum([each.valor for each in alike], ZERO)
    if not every or any(limits.lower <= total <= limits.upper for limits in every):
        return None
    return Violation(found=f"{total:f}", expected=f"{every[0]}, el Importe de sus conceptos en dólares")


CCE157 = row(
    "CCE157",
    Mercancia,
    at="Complemento/ComercioExterior/Mercancias/Mercancia/@ValorDolares",
    says="ValorDolares debe corresponder al Importe de los conceptos convertido a dólares.",
    note=("Se suman las mercancías con el mismo número de identificación; no se compara si alguna vale 0 o 1."),
    check=value_is_in_limits_of_conceptos,
    types=INVOICES,
)


@rule(
    "CCE158",
    at="Complemento/ComercioExterior/Mercancias/Mercancia/@ValorDolares",
    says="La suma de ValorDolares de un NoIdentificacion debe quedar en los límites de sus conceptos.",
    note="La condición de CCE157 cuando varias mercancías llevan el mismo número de identificación.",
    types=INVOICES,
    inseparable=("CCE157",),
)
def shared_value_is_in_limits_of_conceptos(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    return (
        value_is_in_limits_of_conceptos(mercancia, ctx)
        if len(ctx.memoize(Goods).of(mercancia).mercancias) > 1
        else None
    )


@rule(
    "CCE168",
    at="Complemento/ComercioExterior/Mercancias/Mercancia/@ValorUnitarioAduana",
    says="ValorUnitarioAduana debe ser mayor que cero para lo que no es un servicio.",
)
def unit_price_is_positive(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
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


@rule(
    "CCE169",
    at="Complemento/ComercioExterior/Mercancias/Mercancia/@ValorDolares",
    says="ValorDolares debe ser CantidadAduana por ValorUnitarioAduana.",
    note="También se admite 1.",
    applies=is_valued_by_customs,
)
def value_equals_quantity_by_price(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    return None if mercancia.valor == 1 else _is_product(mercancia)


@rule(
    "CCE171",
    at="Complemento/ComercioExterior/Mercancias/Mercancia/@ValorDolares",
    says="ValorDolares distinto de 0 y 1 debe ser CantidadAduana por ValorUnitarioAduana.",
    note="La condición de CCE169 para valores distintos de 0 y 1.",
    applies=is_valued_by_customs,
    inseparable=("CCE169",),
)
def other_value_equals_quantity_by_price(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    return None if mercancia.valor in UNVALUED else _is_product(mercancia)


@rule(
    "CCE172",
    at="Complemento/ComercioExterior/Mercancias/Mercancia/@ValorDolares",
    says="Sin datos aduaneros, ValorDolares debe ser el Importe del concepto en dólares.",
    note="También se admite 1; en un servicio, 0.",
    types=INVOICES,
    applies=is_valued_as_invoiced,
)
def single_value_is_in_limits_of_concepto(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    if mercancia.valor or is_service(mercancia, ctx):
        return value_is_in_limits_of_conceptos(mercancia, ctx)
    return Violation(found=mercancia.ValorDolares, expected="el valor en dólares: 0 es de servicios")
