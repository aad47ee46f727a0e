"""Predicates of the taxes of a payment, which are sums of the taxes of its documents."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from timbra.cfdi.nodes import ComplementNode
from timbra.core.money import written_decimals
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.rulesets.pagos20.sums import Payments
from timbra.rules.shared.predicates import Predicate

MOST_DECIMALS = 63


def compare_sum(text: str, value: Decimal, total: Decimal) -> RuleResult:
    """Compare an amount of a payment with the sum of its documents.

    SAT fixes no rounding, so the amount may be truncated or rounded: it differs from the sum by less than one unit of
    its last decimal.

    Args:
        text: the amount as written.
        value: the amount as a number.
        total: the sum, in the currency of the payment and not rounded.
    """
    unit = Decimal(1).scaleb(-min(written_decimals(text), MOST_DECIMALS))
    if abs(total - value) < unit:
        return None
    shown = total.quantize(Decimal("0.0000001")).normalize()
    return Violation(found=text, expected=f"{shown:f}, la suma de los documentos entre su EquivalenciaDR")


def has_any_total(names: Iterable[str]) -> Predicate:
    """Totales of the complement has at least one of the attributes.

    Args:
        names: names of the attributes of Totales.
    """
    attributes = tuple(names)
    violation = Violation(found="ningún total en Totales", expected=f"al menos uno: {', '.join(attributes)}")

    def check(node: ComplementNode, ctx: EvaluationContext) -> RuleResult:
        texts = ctx.memoize(Payments).texts(node)
        return None if any(name in texts for name in attributes) else violation

    return check
