"""Goods and their Conceptos: CCE152, CCE153, CCE165, CCE166."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.comercioexterior20 import Mercancia
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.comercioexterior20.goods import Goods, missing

CUSTOMS_ATTRIBUTES: Final = 3
"""Number of CantidadAduana, UnidadAduana and ValorUnitarioAduana."""


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
