"""The only Concepto of a payroll."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.invoice.fixed import children, one_concepto
from timbra.rules.shared.nomina.keys import WHY
from timbra.rules.shared.nomina.whole import Payrolls


def stands_alone(comprobante: Comprobante) -> RuleResult:
    """Check that there is exactly one Concepto."""
    return one_concepto(comprobante, WHY)


def without(concepto: Concepto, ctx: EvaluationContext, name: str) -> RuleResult:
    """Check that the Concepto has no child of that name."""
    return Violation(found=name, expected=f"que no exista {WHY}") if name in children(concepto, ctx) else None


def is_paid(text: str, value: Decimal, ctx: EvaluationContext) -> RuleResult:
    """Check that the amount is the sum that all payrolls of the document pay."""
    expected = ctx.memoize(Payrolls).paid
    if value == expected:
        return None
    return Violation(found=text, expected=f"{expected:f}, la suma de TotalPercepciones y TotalOtrosPagos")


def discount_is_withheld(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    """Check that Descuento is the TotalDeducciones of all payrolls of the document.

    A discount or total of 0 counts as absent: the matrix requires its absence when nothing is withheld, and providers
    stamp `Descuento="0"`.
    """
    expected, found = ctx.memoize(Payrolls).withheld, concepto.Descuento
    if concepto.descuento == expected:
        return None
    return Violation(found=found, expected=f"{expected:f}, la suma de TotalDeducciones")
