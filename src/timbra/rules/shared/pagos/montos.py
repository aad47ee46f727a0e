"""SAT's limits of an amount that is paid in another currency than that of its document."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from timbra.money import half_unit, half_up, truncate, written_decimals
from timbra.rules.shared.amounts import AmountLimits


class Paid(NamedTuple):
    """ImpPagado as written, and how many units of its currency are worth one of the payment's.

    decimals: so many count as written in the rate.
    """

    text: str
    amount: Decimal
    rate: Decimal
    decimals: int

    def limits(self, decimals: int, epsilon: Decimal) -> AmountLimits:
        """What it may be in the payment's currency, which has so many decimals: lower cut, upper rounded.

        epsilon: what SAT subtracts where a limit is open; differs by version.
        """
        half, half_rate = half_unit(written_decimals(self.text)), half_unit(self.decimals)
        lower = (self.amount - half) / (self.rate + half_rate - epsilon)
        upper = (self.amount + half - epsilon) / (self.rate - half_rate)
        return AmountLimits(truncate(lower, decimals), half_up(upper, decimals))
