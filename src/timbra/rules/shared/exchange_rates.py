"""Limits of an exchange rate around the published one."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import Indeterminate
from timbra.rules.shared.amounts import AmountLimits


def published_limits(ctx: EvaluationContext, currency: str, on: date) -> AmountLimits | Indeterminate | None:
    """Return the limits of an exchange rate by the variation of c_Moneda.

    Args:
        currency: key of c_Moneda.
        on: day of the published rate.

    Returns:
        Pesos per unit; None when the currency is not in force; `Indeterminate` when no rate is available for that day.
    """
    row = ctx.row("c_Moneda", currency)
    if row is None:
        return None
    rates = ctx.reference_data.exchange_rates
    published = rates.published(currency, on) if rates is not None else None
    if published is None:
        return Indeterminate(f"tipo de cambio publicado de {currency} en {on}")
    share = Decimal(row["porcentaje_variacion"]) / 100
    return AmountLimits(max(Decimal(0), published * (1 - share)), published * (1 + share))
