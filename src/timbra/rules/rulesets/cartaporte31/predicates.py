"""Predicates and data requirements that rules of several nodes of Carta Porte share."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Final

from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.shared.addresses import MEXICO
from timbra.rules.shared.predicates import Predicate, absent, key_of

TAXPAYERS: Final = (DataRequirement.TAXPAYERS,)


def is_foreign_country_exactly_with(name: str, foreign_id: str) -> Predicate:
    """The attribute is a key of c_Pais other than MEX if the foreign tax number is present, and absent without it.

    Args:
        name: name of the attribute with the country.
        foreign_id: name of the attribute with the foreign tax number.
    """
    read, read_id = attrgetter(name), attrgetter(foreign_id)

    def check(node: Any, ctx: EvaluationContext) -> RuleResult:
        country = read(node)
        if read_id(node) is None:
            return absent(country, f"sin {foreign_id}")
        if country is None:
            return Violation(expected=f"el país, por {foreign_id}")
        if country == MEXICO:
            return Violation(found=country, expected="otro país que MEX")
        return key_of(ctx, "c_Pais", country)

    return check
