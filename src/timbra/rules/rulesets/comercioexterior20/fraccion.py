"""Tariff lines and units of goods: CCE159 to CCE164, CCE167, CCE170, keys of UnidadAduana."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.comercioexterior20 import Mercancia
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.comercioexterior20.dollars import discounted
from timbra.rules.rulesets.comercioexterior20.goods import SERVICE, SERVICE_UNIT, Goods
from timbra.rules.rulesets.comercioexterior20.matrix import STANDARD
from timbra.rules.shared.conditions import absent, key_of

AT: Final = f"{Mercancia.PATH}/@FraccionArancelaria"
UNIT: Final = f"{Mercancia.PATH}/@UnidadAduana"
LINES: Final = "comercioexterior20:c_FraccionArancelaria"
DISCOUNT: Final = "9801000100"
"""The tariff line of what is taken off the price of other goods."""


def _row(mercancia: Mercancia, ctx: EvaluationContext) -> Mapping[str, str] | None:
    fraction = mercancia.FraccionArancelaria
    return ctx.row(LINES, fraction) if fraction is not None else None


def is_service(mercancia: Mercancia, ctx: EvaluationContext) -> bool:
    return mercancia.UnidadAduana == SERVICE or ctx.memoize(Goods).of(mercancia).is_service


def is_discount(mercancia: Mercancia, _ctx: EvaluationContext) -> bool:
    return mercancia.FraccionArancelaria == DISCOUNT


def _other_unit(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    """Holds when the unit is that of the tariff line; a service has none, which is CCE170."""
    row, unit = _row(mercancia, ctx), mercancia.UnidadAduana
    if row is None or unit is None or unit in (SERVICE, row["unidad"]):
        return None
    return Violation(found=unit, expected=f"{row['unidad']}, la unidad de la fracción {mercancia.FraccionArancelaria}")


@rule("CCE159", at=AT)
def service_has_no_tariff_line(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    if mercancia.FraccionArancelaria is None or not is_service(mercancia, ctx):
        return None
    return absent(mercancia.FraccionArancelaria, f"con UnidadAduana {SERVICE} o ClaveUnidad {SERVICE_UNIT}")


@rule("CCE160", at=AT)
def goods_have_a_tariff_line(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    """The matrix joins its two conditions by "o"; the standard says "in any other case", which is followed."""
    if mercancia.FraccionArancelaria is not None or is_service(mercancia, ctx):
        return None
    return Violation(expected="la fracción arancelaria: no es un servicio")


@rule("CCE161", at=AT)
def tariff_line_is_in_force(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    """With a UnidadAduana, that of the line."""
    fraction = mercancia.FraccionArancelaria
    if fraction is None:
        return None
    if _row(mercancia, ctx) is None:
        return key_of(ctx, LINES, fraction)
    wrong = _other_unit(mercancia, ctx)
    return wrong and Violation(found=fraction, expected=f"una fracción cuya unidad sea {mercancia.UnidadAduana}")


@rule("CCE162", at=AT)
def unit_of_the_concepto_is_that_of_the_line(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    row = _row(mercancia, ctx)
    if row is None or mercancia.UnidadAduana is not None:
        return None
    others = (unit for unit in ctx.memoize(Goods).of(mercancia).units if unit != row["unidad"])
    for unit in others:
        expected = f"Unidad {row['unidad']} en el concepto: es la de la fracción, y no hay UnidadAduana"
        return Violation(found=f"Unidad {unit or '(ausente)'}", expected=expected)
    return None


@rule("CCE163", at=AT, applies=is_discount, inseparable=("CCE164",))
def discount_has_its_concepto(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    """Its Conceptos have a Descuento, the bound of CCE164; told at the first goods of that number and line."""
    goods = ctx.memoize(Goods)
    first = goods.by_fraction[mercancia.NoIdentificacion, DISCOUNT][0]
    if first is not mercancia or goods.of(mercancia).descuento().value > 0:
        return None
    return Violation(found=DISCOUNT, expected="Descuento en los conceptos con el mismo NoIdentificacion")


@rule("CCE164", at=f"{Mercancia.PATH}/@ValorDolares", applies=is_discount)
def discount_is_no_more_than_that_of_its_concepto(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    """The sum of the goods of that number and line; told at the first of them."""
    alike = ctx.memoize(Goods).by_fraction[mercancia.NoIdentificacion, DISCOUNT]
    if alike[0] is not mercancia:
        return None
    most = max((limits.upper for limits in discounted(ctx, mercancia)), default=None)
    total = sum([each.valor for each in alike], ZERO)
    if most is None or total <= most:
        return None
    return Violation(found=f"{total:f}", expected=f"a lo más {most:f}, el Descuento de sus conceptos en dólares")


@rule("CCE167", at=UNIT, inseparable=("CCE161",))
def unit_is_that_of_the_line(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    return _other_unit(mercancia, ctx)


@rule("CCE170", at=UNIT, inseparable=("CCE159",))
def unit_of_a_service_has_no_tariff_line(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    if mercancia.UnidadAduana != SERVICE or mercancia.FraccionArancelaria is None:
        return None
    return Violation(found=SERVICE, expected="otra unidad, o que FraccionArancelaria no exista")


@rule("CCE999:UnidadAduana", at=UNIT, source=STANDARD, reads=("UnidadAduana",))
def unit_is_a_key(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    if mercancia.UnidadAduana is None:
        return None
    return key_of(ctx, "comercioexterior20:c_UnidadAduana", mercancia.UnidadAduana)
