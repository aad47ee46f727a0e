"""Amounts of the only Concepto of a payroll."""

from __future__ import annotations

from operator import attrgetter

from timbra.cfdi.nodes import Concepto
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.nomina.recibos import Payrolls
from timbra.rules.shared.predicates import Predicate


def equals_paid_sum(name: str, number: str) -> Predicate:
    """The amount equals the sum that all payrolls of the document pay.

    Args:
        name: name of the attribute of Concepto.
        number: name of the attribute's value as a number.
    """
    read, value = attrgetter(name), attrgetter(number)

    def check(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
        expected = ctx.memoize(Payrolls).paid
        if value(concepto) == expected:
            return None
        return Violation(found=read(concepto), expected=f"{expected:f}, la suma de TotalPercepciones y TotalOtrosPagos")

    return check


def discount_equals_withheld_sum(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    """Descuento equals the TotalDeducciones of all payrolls of the document.

    A discount or total of 0 counts as absent: the matrix requires its absence when nothing is withheld, and providers
    stamp `Descuento="0"`.
    """
    expected, found = ctx.memoize(Payrolls).withheld, concepto.Descuento
    if concepto.descuento == expected:
        return None
    return Violation(found=found, expected=f"{expected:f}, la suma de TotalDeducciones")
