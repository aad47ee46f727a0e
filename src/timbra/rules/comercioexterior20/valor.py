"""What goods are worth in dollars: CCE157, CCE158, CCE168, CCE169, CCE171, CCE172.

0 and 1 stand for what has no value, or none that can be told; SAT does not say which goods may have them, so that they
are accepted but where a rule says otherwise.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.comercioexterior20 import Mercancia
from timbra.rules.amounts import Factor, Limits, product_limits
from timbra.rules.case import Case
from timbra.rules.comercioexterior20.dollars import DECIMALS, worth
from timbra.rules.comercioexterior20.fraccion import is_service
from timbra.rules.comercioexterior20.goods import SERVICE, Goods
from timbra.rules.finding import Breach, Verdict
from timbra.rules.rule import rule

AT: Final = f"{Mercancia.PATH}/@ValorDolares"
INVOICES: Final = "IE"
UNVALUED: Final = (ZERO, Decimal(1))


def is_valued_by_customs(mercancia: Mercancia, _case: Case) -> bool:
    return mercancia.CantidadAduana is not None


def is_alone(mercancia: Mercancia, case: Case) -> bool:
    """Whether its value is that of one Concepto, which customs count as the invoice does."""
    return mercancia.CantidadAduana is None and not case.once(Goods).of(mercancia).is_shared


def _worth(mercancia: Mercancia, case: Case) -> Breach | None:
    """The sum over the goods of the number lies within the limits of their Conceptos; told at the first of them."""
    alike = case.once(Goods).of(mercancia).mercancias
    if alike[0] is not mercancia or any(each.valor in UNVALUED for each in alike):
        return None
    every = worth(case, mercancia)
    total = sum([each.valor for each in alike], ZERO)
    if not every or any(limits.lower <= total <= limits.upper for limits in every):
        return None
    return Breach(found=f"{total:f}", expected=f"{every[0]}, el Importe de sus conceptos en dólares")


@rule("CCE157", at=AT, types=INVOICES)
def value_is_that_of_the_conceptos(mercancia: Mercancia, case: Case) -> Verdict:
    """The sum over the goods of a number; not compared where one of them is 0 or 1."""
    return _worth(mercancia, case)


@rule("CCE158", at=AT, types=INVOICES, inseparable=("CCE157",))
def values_of_a_number_are_those_of_its_conceptos(mercancia: Mercancia, case: Case) -> Verdict:
    """CCE157 where several goods have the number."""
    return _worth(mercancia, case) if len(case.once(Goods).of(mercancia).mercancias) > 1 else None


@rule("CCE168", at=f"{Mercancia.PATH}/@ValorUnitarioAduana")
def goods_have_a_price(mercancia: Mercancia, _case: Case) -> Verdict:
    price = mercancia.ValorUnitarioAduana
    if price is None or mercancia.valor_unitario > 0 or mercancia.UnidadAduana == SERVICE:
        return None
    return Breach(found=price, expected=f"mayor que cero, por UnidadAduana distinta de {SERVICE}")


def _counted(mercancia: Mercancia) -> Limits:
    quantity = Factor(mercancia.CantidadAduana or "", mercancia.cantidad)
    price = Factor(mercancia.ValorUnitarioAduana or "", mercancia.valor_unitario)
    return product_limits(quantity, price, DECIMALS)


def _is_product(mercancia: Mercancia) -> Verdict:
    limits = _counted(mercancia)
    if limits.lower <= mercancia.valor <= limits.upper:
        return None
    expected = f"{limits}, CantidadAduana por ValorUnitarioAduana"
    return Breach(found=mercancia.ValorDolares, expected=expected)


@rule("CCE169", at=AT, applies=is_valued_by_customs)
def value_is_quantity_times_price(mercancia: Mercancia, _case: Case) -> Verdict:
    """Or 1."""
    return None if mercancia.valor == 1 else _is_product(mercancia)


@rule("CCE171", at=AT, applies=is_valued_by_customs, inseparable=("CCE169",))
def other_value_is_quantity_times_price(mercancia: Mercancia, _case: Case) -> Verdict:
    """CCE169 for other values than 0 and 1."""
    return None if mercancia.valor in UNVALUED else _is_product(mercancia)


@rule("CCE172", at=AT, types=INVOICES, applies=is_alone)
def lone_value_is_that_of_its_concepto(mercancia: Mercancia, case: Case) -> Verdict:
    """Or 1; 0 for a service."""
    if mercancia.valor or is_service(mercancia, case):
        return _worth(mercancia, case)
    return Breach(found=mercancia.ValorDolares, expected="el valor en dólares: 0 es de servicios")
