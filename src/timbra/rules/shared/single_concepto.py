"""Predicates of payments and payrolls: invoices with a single Concepto and without taxes.

Argument `why` of the functions is the Spanish end of the sentence for the expected value: "en un comprobante de pago".
"""

from __future__ import annotations

from collections.abc import Collection

from timbra.cfdi.nodes import Comprobante, Concepto, Node
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.predicates import Predicate, children, one_concepto


def has_one_concepto(why: str) -> Predicate:
    """The invoice has exactly one Concepto."""

    def check(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
        return one_concepto(comprobante, why)

    return check


def has_one_concepto_without_children(why: str) -> Predicate:
    """The invoice has exactly one Concepto, and the Concepto has no child elements."""
    without_children = has_no_children(why)

    def check(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
        return one_concepto(comprobante, why) or without_children(comprobante.conceptos[0], ctx)

    return check


def has_no_children(why: str, allowed: Collection[str] = ()) -> Predicate:
    """The Concepto has no child elements.

    Args:
        why: as above.
        allowed: local names of the children that may be present.
    """
    most = f"a lo más {', '.join(allowed)} {why}" if allowed else f"ningún nodo dentro del concepto {why}"

    def check(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
        names = [name for name in children(concepto, ctx) if name not in allowed]
        return Violation(found=", ".join(names), expected=most) if names else None

    return check


def has_no_child(name: str, why: str) -> Predicate:
    """The Concepto has no child element of that local name."""
    violation = Violation(found=name, expected=f"que no exista {why}")

    def check(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
        return violation if name in children(concepto, ctx) else None

    return check


def is_forbidden(name: str, why: str) -> Predicate:
    """The node of that local name is absent: every node that the predicate takes violates the rule."""
    violation = Violation(found=name, expected=f"que no exista {why}")

    def check(_node: Node, _ctx: EvaluationContext) -> RuleResult:
        return violation

    return check
