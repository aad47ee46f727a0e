"""Other payments: their nodes, the employment subsidy and the workers who get it, balances in favor."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.nomina12 import CompensacionSaldosAFavor, Nomina, OtroPago, SubsidioAlEmpleo
from timbra.rules.engine.result import RuleResult, Violation

SUBSIDY, BALANCE = "002", "004"
ADJUSTMENTS: Final = frozenset({"007", "008"})
"""Adjustments of a subsidy that was paid in excess."""
WAGES: Final = "02"
"""Regime of the workers who get a subsidy."""
MONTH: Final = 31


class Subsidy(NamedTuple):
    """Limits of the subsidy.

    Attributes:
        since: first date of the documents that they concern.
        monthly: limit of periods of up to 31 days, in pesos.
        daily: limit for each day of longer periods, in pesos.
    """

    since: date
    monthly: Decimal
    daily: Decimal


SUBSIDIES: Final = (
    Subsidy(date(2017, 1, 1), Decimal("407.02"), Decimal("13.39")),
    Subsidy(date(2025, 2, 21), Decimal("475.00"), Decimal("15.63")),
    Subsidy(date(2026, 1, 1), Decimal("628.00"), Decimal("20.66")),
)
"""Limits of revisions B and C, of D, and of E of the matrix; the date of the document selects, not the paid month."""


def subsidy_limits(on: date, table: Sequence[Subsidy] = SUBSIDIES) -> Subsidy:
    """Return the limits in force on a date; the first of the table before its time."""
    return max((row for row in table if row.since <= on), default=table[0])


def has_its_balance(row: OtroPago) -> RuleResult:
    """Check that CompensacionSaldosAFavor is present with 004."""
    if row.TipoOtroPago != BALANCE or row.compensacion is not None:
        return None
    return Violation(expected="el nodo, por TipoOtroPago 004")


def has_its_subsidy(row: OtroPago) -> RuleResult:
    """Check that SubsidioAlEmpleo is present with 002."""
    if row.TipoOtroPago != SUBSIDY or row.subsidio is not None:
        return None
    return Violation(expected="el nodo, por TipoOtroPago 002")


def is_positive(row: OtroPago) -> RuleResult:
    """Check that the payment is greater than zero, unless it is a subsidy."""
    if row.TipoOtroPago == SUBSIDY or row.importe > ZERO:
        return None
    return Violation(found=row.Importe, expected=f"mayor que cero, por TipoOtroPago {row.TipoOtroPago}")


def paid_subsidy_was_due(row: OtroPago) -> RuleResult:
    """Check that Importe of a subsidy is at most SubsidioCausado."""
    if row.TipoOtroPago != SUBSIDY or row.subsidio is None or row.importe <= row.subsidio.causado:
        return None
    return Violation(found=row.Importe, expected=f"a lo más {row.subsidio.SubsidioCausado}, el SubsidioCausado")


def monthly_subsidy_is_limited(node: SubsidioAlEmpleo, nomina: Nomina, limit: Decimal) -> RuleResult:
    """Check the limit of a subsidy for up to 31 paid days."""
    if nomina.dias_pagados > MONTH or node.causado <= limit:
        return None
    expected = f"a lo más {limit:f}, con NumDiasPagados {nomina.NumDiasPagados}"
    return Violation(found=node.SubsidioCausado, expected=expected)


def daily_subsidy_is_limited(node: SubsidioAlEmpleo, nomina: Nomina, daily: Decimal) -> RuleResult:
    """Check the daily limit of a subsidy for more than 31 paid days."""
    limit = daily * nomina.dias_pagados
    if nomina.dias_pagados <= MONTH or node.causado <= limit:
        return None
    expected = f"a lo más {limit:f}, {daily:f} por NumDiasPagados {nomina.NumDiasPagados}"
    return Violation(found=node.SubsidioCausado, expected=expected)


def balance_covers_what_remains(node: CompensacionSaldosAFavor) -> RuleResult:
    """Check that SaldoAFavor is at least RemanenteSalFav."""
    if node.saldo >= node.remanente:
        return None
    return Violation(found=node.SaldoAFavor, expected=f"al menos {node.RemanenteSalFav}, el RemanenteSalFav")


def workers_get_a_subsidy(nomina: Nomina) -> RuleResult:
    """Check that TipoRegimen 02 has a payment 002, or an adjustment 007 or 008, and not both."""
    if nomina.receptor.TipoRegimen != WAGES:
        return None
    kinds = {row.TipoOtroPago for row in nomina.otros_pagos}
    adjusted = kinds & ADJUSTMENTS
    if (SUBSIDY in kinds) != bool(adjusted):
        return None
    if adjusted:
        return Violation(found=f"002 y {' y '.join(sorted(adjusted))}", expected="002 sin 007 ni 008")
    return Violation(expected="un pago 002, por TipoRegimen 02; o 007 o 008")


def others_get_none(row: OtroPago, nomina: Nomina) -> RuleResult:
    """Check that any other TipoRegimen has none of 002, 007 and 008."""
    regime = nomina.receptor.TipoRegimen
    if regime == WAGES or (row.TipoOtroPago != SUBSIDY and row.TipoOtroPago not in ADJUSTMENTS):
        return None
    return Violation(found=row.TipoOtroPago, expected=f"otra clave que 002, 007 y 008, por TipoRegimen {regime}")
