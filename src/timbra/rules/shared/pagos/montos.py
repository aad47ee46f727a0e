"""SAT's limits of an amount that is paid in a currency other than that of its document."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from timbra.core.money import half_unit, half_up, truncate, written_decimals
from timbra.rules.shared.amounts import AmountLimits


class Paid(NamedTuple):
    """A paid amount.

    Attributes:
        text: ImpPagado as written.
        amount: ImpPagado as a number.
        rate: units of the document's currency for one of the payment's.
        decimals: number of decimals of the written rate.
    """

    text: str
    amount: Decimal
    rate: Decimal
    decimals: int

    def limits(self, decimals: int, epsilon: Decimal) -> AmountLimits:
        """Return the limits in the payment's currency: lower truncated, upper rounded half up.

        Args:
            decimals: decimals of the payment's currency.
            epsilon: number that SAT subtracts from an open limit; it differs by version of the standard.
        """
        half, half_rate = half_unit(written_decimals(self.text)), half_unit(self.decimals)
        lower = (self.amount - half) / (self.rate + half_rate - epsilon)
        upper = (self.amount + half - epsilon) / (self.rate - half_rate)
        return AmountLimits(truncate(lower, decimals), half_up(upper, decimals))
