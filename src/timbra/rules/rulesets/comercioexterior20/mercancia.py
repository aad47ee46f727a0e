"""Goods and the Conceptos they come from: CCE152, CCE153, CCE165, CCE166."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.comercioexterior20 import Mercancia
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.comercioexterior20.goods import Goods, missing

AT: Final = Mercancia.PATH
ALL: Final = 3


@rule("CCE152", at=f"{AT}/@NoIdentificacion")
def goods_are_of_a_concepto(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    if ctx.memoize(Goods).of(mercancia).conceptos:
        return None
    return Violation(found=mercancia.NoIdentificacion, expected="el NoIdentificacion de al menos un concepto")


@rule("CCE153", at=f"{AT}/@NoIdentificacion")
def goods_stand_once(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    number, fraction = mercancia.NoIdentificacion, mercancia.FraccionArancelaria
    if ctx.memoize(Goods).by_fraction[number, fraction][0] is mercancia:
        return None
    return Violation(
        found=f"{number} {fraction or ''}".strip(), expected="una sola Mercancia con ese número y esa fracción"
    )


@rule("CCE165", at=AT)
def customs_attributes_stand_together(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    """None of the three, or all; all where several Conceptos or Mercancias have the number."""
    lacking = missing(mercancia)
    if not lacking or (len(lacking) == ALL and not ctx.memoize(Goods).of(mercancia).is_shared):
        return None
    return Violation(found=f"sin {', '.join(lacking)}", expected="CantidadAduana, UnidadAduana y ValorUnitarioAduana")


@rule("CCE166", at=AT)
def customs_attributes_stand_everywhere(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    """In all goods, or in none."""
    lacking = missing(mercancia)
    if not lacking or not ctx.memoize(Goods).valued:
        return None
    return Violation(found=f"sin {', '.join(lacking)}", expected="los tres: los lleva otra Mercancia")
