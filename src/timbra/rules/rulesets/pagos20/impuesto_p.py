"""What the taxes of a payment share: sums of what its documents write."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from timbra.cfdi.nodes import ComplementNode
from timbra.money import written_decimals
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.rulesets.pagos20.sums import Payments

MOST_DECIMALS = 63


def is_sum(text: str, value: Decimal, total: Decimal) -> RuleResult:
    """SAT fixes no rounding: the amount is cut or rounded, less than one unit of its last decimal away from the sum."""
    unit = Decimal(1).scaleb(-min(written_decimals(text), MOST_DECIMALS))
    if abs(total - value) < unit:
        return None
    shown = total.quantize(Decimal("0.0000001")).normalize()
    return Violation(found=text, expected=f"{shown:f}, la suma de los documentos entre su EquivalenciaDR")


def any_total(node: ComplementNode, ctx: EvaluationContext, names: Iterable[str]) -> RuleResult:
    """Holds when Totales has at least one of these."""
    texts = ctx.memoize(Payments).texts(node)
    if any(name in texts for name in names):
        return None
    return Violation(found="ningún total en Totales", expected=f"al menos uno: {', '.join(names)}")
