"""Goods, their FraccionArancelaria and UnidadAduana: CCE152, CCE153, CCE159 to CCE167, CCE170."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.comercioexterior20 import Mercancia
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.comercioexterior20.goods import SERVICE, SERVICE_UNIT, Goods, discount_limits, missing
from timbra.rules.rulesets.comercioexterior20.sources import SCHEMA
from timbra.rules.shared.predicates import absent, in_catalog, key_of

CUSTOMS_ATTRIBUTES: Final = 3
"""Number of CantidadAduana, UnidadAduana and ValorUnitarioAduana."""
FRACTIONS: Final = "comercioexterior20:c_FraccionArancelaria"
DISCOUNT: Final = "9801000100"
"""Fracción of discounts on the price of other goods."""


@rule(
    "CCE152",
    at="Complemento/ComercioExterior/Mercancias/Mercancia/@NoIdentificacion",
    says="NoIdentificacion de la mercancía debe ser el de un concepto.",
)
def has_concepto(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    if ctx.memoize(Goods).of(mercancia).conceptos:
        return None
    return Violation(found=mercancia.NoIdentificacion, expected="el NoIdentificacion de al menos un concepto")


@rule(
    "CCE153",
    at="Complemento/ComercioExterior/Mercancias/Mercancia/@NoIdentificacion",
    says="La combinación de NoIdentificacion y FraccionArancelaria no debe repetirse.",
)
def is_unique_by_number_and_fraction(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    number, fraction = mercancia.NoIdentificacion, mercancia.FraccionArancelaria
    if ctx.memoize(Goods).by_fraction[number, fraction][0] is mercancia:
        return None
    return Violation(
        found=f"{number} {fraction or ''}".strip(), expected="una sola Mercancia con ese número y esa fracción"
    )


@rule(
    "CCE165",
    at="Complemento/ComercioExterior/Mercancias/Mercancia",
    says="CantidadAduana, UnidadAduana y ValorUnitarioAduana deben existir juntos.",
    note=("O ninguno de los tres datos, o todos; si varios conceptos o mercancías comparten el número, todos."),
)
def has_all_customs_attributes_or_none(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    absent = missing(mercancia)
    if not absent or (len(absent) == CUSTOMS_ATTRIBUTES and not ctx.memoize(Goods).of(mercancia).is_shared):
        return None
    return Violation(found=f"sin {', '.join(absent)}", expected="CantidadAduana, UnidadAduana y ValorUnitarioAduana")


@rule(
    "CCE166",
    at="Complemento/ComercioExterior/Mercancias/Mercancia",
    says="Si una mercancía lleva los datos aduaneros, todas deben llevarlos.",
    note="En todas las mercancías o en ninguna.",
)
def has_customs_attributes_if_another_has(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    absent = missing(mercancia)
    if not absent or not ctx.memoize(Goods).valued:
        return None
    return Violation(found=f"sin {', '.join(absent)}", expected="los tres: los lleva otra Mercancia")


def _row(mercancia: Mercancia, ctx: EvaluationContext) -> Mapping[str, str] | None:
    fraction = mercancia.FraccionArancelaria
    return ctx.row(FRACTIONS, fraction) if fraction is not None else None


def is_service(mercancia: Mercancia, ctx: EvaluationContext) -> bool:
    """Whether UnidadAduana or ClaveUnidad of a Concepto is that of services."""
    return mercancia.UnidadAduana == SERVICE or ctx.memoize(Goods).of(mercancia).is_service


def is_discount(mercancia: Mercancia, _ctx: EvaluationContext) -> bool:
    return mercancia.FraccionArancelaria == DISCOUNT


def unit_is_that_of_fraction(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    """UnidadAduana, when present, is the unit of the fracción; CCE170 reports the unit of a service."""
    row, unit = _row(mercancia, ctx), mercancia.UnidadAduana
    if row is None or unit is None or unit in (SERVICE, row["unidad"]):
        return None
    return Violation(found=unit, expected=f"{row['unidad']}, la unidad de la fracción {mercancia.FraccionArancelaria}")


@rule(
    "CCE159",
    at="Complemento/ComercioExterior/Mercancias/Mercancia/@FraccionArancelaria",
    says="FraccionArancelaria no debe existir para un servicio.",
)
def service_has_no_fraction(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    if mercancia.FraccionArancelaria is None or not is_service(mercancia, ctx):
        return None
    return absent(mercancia.FraccionArancelaria, f"con UnidadAduana {SERVICE} o ClaveUnidad {SERVICE_UNIT}")


@rule(
    "CCE160",
    at="Complemento/ComercioExterior/Mercancias/Mercancia/@FraccionArancelaria",
    says="FraccionArancelaria debe existir para lo que no es un servicio.",
    note=("La matriz une sus dos condiciones con «o»; se sigue el estándar, que dice «en cualquier otro caso»."),
)
def goods_have_fraction(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    if mercancia.FraccionArancelaria is not None or is_service(mercancia, ctx):
        return None
    return Violation(expected="la fracción arancelaria: no es un servicio")


@rule(
    "CCE161",
    at="Complemento/ComercioExterior/Mercancias/Mercancia/@FraccionArancelaria",
    says="FraccionArancelaria debe estar vigente y corresponder a UnidadAduana.",
    note="Con UnidadAduana debe ser la de la fracción arancelaria.",
)
def fraction_is_in_force_with_its_unit(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    fraction = mercancia.FraccionArancelaria
    if fraction is None:
        return None
    if _row(mercancia, ctx) is None:
        return key_of(ctx, FRACTIONS, fraction)
    wrong = unit_is_that_of_fraction(mercancia, ctx)
    return wrong and Violation(found=fraction, expected=f"una fracción cuya unidad sea {mercancia.UnidadAduana}")


@rule(
    "CCE162",
    at="Complemento/ComercioExterior/Mercancias/Mercancia/@FraccionArancelaria",
    says="Sin UnidadAduana, Unidad del concepto debe ser la de la fracción arancelaria.",
)
def unit_of_concepto_is_that_of_fraction(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    row = _row(mercancia, ctx)
    if row is None or mercancia.UnidadAduana is not None:
        return None
    others = (unit for unit in ctx.memoize(Goods).of(mercancia).units if unit != row["unidad"])
    for unit in others:
        expected = f"Unidad {row['unidad']} en el concepto: es la de la fracción, y no hay UnidadAduana"
        return Violation(found=f"Unidad {unit or '(ausente)'}", expected=expected)
    return None


@rule(
    "CCE163",
    at="Complemento/ComercioExterior/Mercancias/Mercancia/@FraccionArancelaria",
    says="Con la fracción 9801000100, los conceptos de la mercancía deben llevar Descuento.",
    note=(
        "El Descuento de los conceptos es el límite de CCE164. Se informa en la primera mercancía "
        "con ese número y esa fracción."
    ),
    applies=is_discount,
    inseparable=("CCE164",),
)
def has_discount_in_conceptos(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    goods = ctx.memoize(Goods)
    first = goods.by_fraction[mercancia.NoIdentificacion, DISCOUNT][0]
    if first is not mercancia or goods.of(mercancia).descuento().value > 0:
        return None
    return Violation(found=DISCOUNT, expected="Descuento en los conceptos con el mismo NoIdentificacion")


@rule(
    "CCE164",
    at="Complemento/ComercioExterior/Mercancias/Mercancia/@ValorDolares",
    says="ValorDolares con la fracción 9801000100 no debe exceder el Descuento de los conceptos.",
    note=(
        "Se suman las mercancías con el mismo número de identificación y la misma fracción. Se informa en la primera."
    ),
    applies=is_discount,
)
def discount_is_at_most_that_of_conceptos(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    alike = ctx.memoize(Goods).by_fraction[mercancia.NoIdentificacion, DISCOUNT]
    if alike[0] is not mercancia:
        return None
    most = max((limits.upper for limits in discount_limits(ctx, mercancia)), default=None)
    total = sum([each.valor for each in alike], ZERO)
    if most is None or total <= most:
        return None
    return Violation(found=f"{total:f}", expected=f"a lo más {most:f}, el Descuento de sus conceptos en dólares")


CCE167 = row(
    "CCE167",
    Mercancia,
    at="Complemento/ComercioExterior/Mercancias/Mercancia/@UnidadAduana",
    says="UnidadAduana debe ser la unidad de la fracción arancelaria.",
    check=unit_is_that_of_fraction,
    inseparable=("CCE161",),
)


@rule(
    "CCE170",
    at="Complemento/ComercioExterior/Mercancias/Mercancia/@UnidadAduana",
    says="Con UnidadAduana 99 no debe existir FraccionArancelaria.",
    inseparable=("CCE159",),
)
def service_unit_has_no_fraction(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    if mercancia.UnidadAduana != SERVICE or mercancia.FraccionArancelaria is None:
        return None
    return Violation(found=SERVICE, expected="otra unidad, o que FraccionArancelaria no exista")


CCE999_UnidadAduana = row(
    "CCE999:UnidadAduana",
    Mercancia,
    at="Complemento/ComercioExterior/Mercancias/Mercancia/@UnidadAduana",
    says="UnidadAduana debe ser una clave vigente de c_UnidadAduana.",
    check=in_catalog("comercioexterior20:c_UnidadAduana", "UnidadAduana"),
    cites=SCHEMA,
)
