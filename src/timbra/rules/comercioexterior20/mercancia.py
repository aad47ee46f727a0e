"""Goods and the Conceptos they come from: CCE152, CCE153, CCE165, CCE166."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.comercioexterior20 import Mercancia
from timbra.rules.case import Case
from timbra.rules.comercioexterior20.goods import Goods, missing
from timbra.rules.finding import Breach, Verdict
from timbra.rules.rule import rule

AT: Final = Mercancia.PATH
ALL: Final = 3


@rule("CCE152", at=f"{AT}/@NoIdentificacion")
def goods_are_of_a_concepto(mercancia: Mercancia, case: Case) -> Verdict:
    if case.once(Goods).of(mercancia).conceptos:
        return None
    return Breach(found=mercancia.NoIdentificacion, expected="el NoIdentificacion de al menos un concepto")


@rule("CCE153", at=f"{AT}/@NoIdentificacion")
def goods_stand_once(mercancia: Mercancia, case: Case) -> Verdict:
    number, fraction = mercancia.NoIdentificacion, mercancia.FraccionArancelaria
    if case.once(Goods).by_fraction[number, fraction][0] is mercancia:
        return None
    return Breach(
        found=f"{number} {fraction or ''}".strip(), expected="una sola Mercancia con ese número y esa fracción"
    )


@rule("CCE165", at=AT)
def customs_attributes_stand_together(mercancia: Mercancia, case: Case) -> Verdict:
    """None of the three, or all; all where several Conceptos or Mercancias have the number."""
    lacking = missing(mercancia)
    if not lacking or (len(lacking) == ALL and not case.once(Goods).of(mercancia).is_shared):
        return None
    return Breach(found=f"sin {', '.join(lacking)}", expected="CantidadAduana, UnidadAduana y ValorUnitarioAduana")


@rule("CCE166", at=AT)
def customs_attributes_stand_everywhere(mercancia: Mercancia, case: Case) -> Verdict:
    """In all goods, or in none."""
    lacking = missing(mercancia)
    if not lacking or not case.once(Goods).valued:
        return None
    return Breach(found=f"sin {', '.join(lacking)}", expected="los tres: los lleva otra Mercancia")
