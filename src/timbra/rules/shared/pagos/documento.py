"""Documents that a payment pays."""

from __future__ import annotations

from operator import attrgetter
from typing import Final

from timbra.cfdi.nodes.pagos10 import DoctoRelacionado
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.predicates import Predicate

INSTALLMENTS: Final = "PPD"


def is_present_with_installments(name: str) -> Predicate:
    """The attribute is present with MetodoDePagoDR PPD.

    Args:
        name: name of the attribute of DoctoRelacionado 1.0.
    """
    read = attrgetter(name)

    def check(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
        if document.MetodoDePagoDR != INSTALLMENTS or read(document) is not None:
            return None
        return Violation(expected="un valor, por MetodoDePagoDR PPD")

    return check
