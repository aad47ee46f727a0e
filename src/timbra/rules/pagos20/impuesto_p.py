"""What the taxes of a payment share: sums of what its documents write."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from timbra.cfdi.nodes import ComplementNode
from timbra.money import written_decimals
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Verdict
from timbra.rules.pagos20.sums import Payments

MOST_DECIMALS = 63


def is_sum(text: str, value: Decimal, total: Decimal) -> Verdict:
    """SAT fixes no rounding: the amount is cut or rounded, less than one unit of its last decimal away from the sum."""
    unit = Decimal(1).scaleb(-min(written_decimals(text), MOST_DECIMALS))
    if abs(total - value) < unit:
        return None
    shown = total.quantize(Decimal("0.0000001")).normalize()
    return Breach(found=text, expected=f"{shown:f}, la suma de los documentos entre su EquivalenciaDR")


def any_total(node: ComplementNode, case: Case, names: Iterable[str]) -> Verdict:
    """Holds when Totales has at least one of these."""
    texts = case.once(Payments).texts(node)
    if any(name in texts for name in names):
        return None
    return Breach(found="ningún total en Totales", expected=f"al menos uno: {', '.join(names)}")
