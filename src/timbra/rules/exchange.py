"""How far a rate of exchange may lie from the published one; shared by all books."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from timbra.rules.amounts import Limits
from timbra.rules.case import Case
from timbra.rules.finding import Unknown


def published_limits(case: Case, currency: str, on: date) -> Limits | Unknown | None:
    """Limits around the rate published for that day; None for what is no currency in force."""
    row = case.row("c_Moneda", currency)
    if row is None:
        return None
    rates = case.world.exchange_rates
    published = rates.published(currency, on) if rates is not None else None
    if published is None:
        return Unknown(f"tipo de cambio publicado de {currency} en {on}")
    share = Decimal(row["porcentaje_variacion"]) / 100
    return Limits(max(Decimal(0), published * (1 - share)), published * (1 + share))
