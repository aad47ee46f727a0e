"""Other payments: which nodes they have, the subsidy of employment and who gets it, balances in favour."""

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
"""What takes the place of a subsidy that was paid too much."""
WAGES: Final = "02"
"""The regime whose workers get a subsidy."""
MONTH: Final = 31


class Subsidy(NamedTuple):
    """Since when a subsidy may be so high. monthly: up to 31 days; daily: for each day of longer periods."""

    since: date
    monthly: Decimal
    daily: Decimal


SUBSIDIES: Final = (
    Subsidy(date(2017, 1, 1), Decimal("407.02"), Decimal("13.39")),
    Subsidy(date(2025, 2, 21), Decimal("475.00"), Decimal("15.63")),
    Subsidy(date(2026, 1, 1), Decimal("628.00"), Decimal("20.66")),
)
"""Revisions B and C, D, E, from the day of each matrix. They limit documents of their time, whatever month is paid."""


def subsidy_limits(on: date, table: Sequence[Subsidy] = SUBSIDIES) -> Subsidy:
    """What is in force on a date; the first of them before its time."""
    return max((row for row in table if row.since <= on), default=table[0])


def has_its_balance(row: OtroPago) -> RuleResult:
    """CompensacionSaldosAFavor is there with 004."""
    if row.TipoOtroPago != BALANCE or row.compensacion is not None:
        return None
    return Violation(expected="el nodo, por TipoOtroPago 004")


def has_its_subsidy(row: OtroPago) -> RuleResult:
    """SubsidioAlEmpleo is there with 002."""
    if row.TipoOtroPago != SUBSIDY or row.subsidio is not None:
        return None
    return Violation(expected="el nodo, por TipoOtroPago 002")


def is_positive(row: OtroPago) -> RuleResult:
    """Only a subsidy may be 0."""
    if row.TipoOtroPago == SUBSIDY or row.importe > ZERO:
        return None
    return Violation(found=row.Importe, expected=f"mayor que cero, por TipoOtroPago {row.TipoOtroPago}")


def paid_subsidy_was_due(row: OtroPago) -> RuleResult:
    """Importe of a subsidy is at most what was due."""
    if row.TipoOtroPago != SUBSIDY or row.subsidio is None or row.importe <= row.subsidio.causado:
        return None
    return Violation(found=row.Importe, expected=f"a lo más {row.subsidio.SubsidioCausado}, el SubsidioCausado")


def monthly_subsidy_is_limited(node: SubsidioAlEmpleo, nomina: Nomina, limit: Decimal) -> RuleResult:
    """Up to 31 days paid: at most the limit."""
    if nomina.dias_pagados > MONTH or node.causado <= limit:
        return None
    expected = f"a lo más {limit:f}, con NumDiasPagados {nomina.NumDiasPagados}"
    return Violation(found=node.SubsidioCausado, expected=expected)


def daily_subsidy_is_limited(node: SubsidioAlEmpleo, nomina: Nomina, daily: Decimal) -> RuleResult:
    """More than 31 days paid: at most so much a day."""
    limit = daily * nomina.dias_pagados
    if nomina.dias_pagados <= MONTH or node.causado <= limit:
        return None
    expected = f"a lo más {limit:f}, {daily:f} por NumDiasPagados {nomina.NumDiasPagados}"
    return Violation(found=node.SubsidioCausado, expected=expected)


def balance_covers_what_remains(node: CompensacionSaldosAFavor) -> RuleResult:
    """SaldoAFavor is at least RemanenteSalFav."""
    if node.saldo >= node.remanente:
        return None
    return Violation(found=node.SaldoAFavor, expected=f"al menos {node.RemanenteSalFav}, el RemanenteSalFav")


def workers_get_a_subsidy(nomina: Nomina) -> RuleResult:
    """With TipoRegimen 02: a payment 002, or an adjustment 007 or 008, and not both."""
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
    """With any other TipoRegimen: none of 002, 007 and 008."""
    regime = nomina.receptor.TipoRegimen
    if regime == WAGES or (row.TipoOtroPago != SUBSIDY and row.TipoOtroPago not in ADJUSTMENTS):
        return None
    return Violation(found=row.TipoOtroPago, expected=f"otra clave que 002, 007 y 008, por TipoRegimen {regime}")
