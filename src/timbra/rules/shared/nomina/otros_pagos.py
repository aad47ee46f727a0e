"""Deductions for incapacity, other payments, the employment subsidy, balances in favor."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.nomina12 import CompensacionSaldosAFavor, Deduccion, Nomina, OtroPago, SubsidioAlEmpleo
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.nomina.recibos import payroll_of
from timbra.rules.shared.predicates import Predicate

INCAPACITY: Final = "006"
SUBSIDY, BALANCE = "002", "004"
ADJUSTMENTS: Final = frozenset({"007", "008"})
"""Adjustments of a subsidy that was paid in excess."""
WAGES: Final = "02"
"""TipoRegimen of the workers who get a subsidy."""
MONTH: Final = 31


def has_positive_amount(row: Deduccion, _ctx: EvaluationContext) -> RuleResult:
    """Importe of a deduction is greater than zero."""
    return None if row.importe > ZERO else Violation(found=row.Importe, expected="mayor que cero")


def has_incapacidades_with_006(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    """Incapacidades is present with a deduction 006."""
    if nomina.has_incapacidades or not _rows(nomina):
        return None
    return Violation(expected="el nodo, por la deducción 006")


def deductions_006_equal_incapacidades(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    """The sum of the deductions 006 is the sum of ImporteMonetario; reported at the first of them.

    A payroll without Incapacidades passes.
    """
    rows = _rows(nomina)
    if not nomina.has_incapacidades or not rows:
        return None
    total = sum([each.importe for each in rows], ZERO)
    expected = sum([each.importe for each in nomina.incapacidades], ZERO)
    if total == expected:
        return None
    what = "la suma de ImporteMonetario de las incapacidades"
    at = f"Deducciones/Deduccion[{rows[0].index}]/@Importe"
    return Violation(found=f"{total:f}", expected=f"{expected:f}, {what}", at=at)


def _rows(nomina: Nomina) -> list[Deduccion]:
    rows = nomina.deducciones.filas if nomina.deducciones is not None else ()
    return [row for row in rows if row.TipoDeduccion == INCAPACITY]


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


def has_balance_with_004(row: OtroPago, _ctx: EvaluationContext) -> RuleResult:
    """CompensacionSaldosAFavor is present with TipoOtroPago 004."""
    if row.TipoOtroPago != BALANCE or row.compensacion is not None:
        return None
    return Violation(expected="el nodo, por TipoOtroPago 004")


def has_subsidy_with_002(row: OtroPago, _ctx: EvaluationContext) -> RuleResult:
    """SubsidioAlEmpleo is present with TipoOtroPago 002."""
    if row.TipoOtroPago != SUBSIDY or row.subsidio is not None:
        return None
    return Violation(expected="el nodo, por TipoOtroPago 002")


def has_positive_amount_unless_002(row: OtroPago, _ctx: EvaluationContext) -> RuleResult:
    """Importe is greater than zero, unless TipoOtroPago is 002."""
    if row.TipoOtroPago == SUBSIDY or row.importe > ZERO:
        return None
    return Violation(found=row.Importe, expected=f"mayor que cero, por TipoOtroPago {row.TipoOtroPago}")


def paid_subsidy_is_within_due_subsidy(row: OtroPago, _ctx: EvaluationContext) -> RuleResult:
    """Importe of a subsidy is at most SubsidioCausado."""
    if row.TipoOtroPago != SUBSIDY or row.subsidio is None or row.importe <= row.subsidio.causado:
        return None
    return Violation(found=row.Importe, expected=f"a lo más {row.subsidio.SubsidioCausado}, el SubsidioCausado")


def is_within_monthly_limit(table: Sequence[Subsidy]) -> Predicate:
    """SubsidioCausado of up to 31 paid days is at most the monthly limit.

    Args:
        table: limits by date of the document.
    """

    def check(node: SubsidioAlEmpleo, ctx: EvaluationContext) -> RuleResult:
        nomina, limit = payroll_of(node, ctx), subsidy_limits(ctx.on, table).monthly
        if nomina.dias_pagados > MONTH or node.causado <= limit:
            return None
        expected = f"a lo más {limit:f}, con NumDiasPagados {nomina.NumDiasPagados}"
        return Violation(found=node.SubsidioCausado, expected=expected)

    return check


def is_within_daily_limit(table: Sequence[Subsidy]) -> Predicate:
    """SubsidioCausado of more than 31 paid days is at most the daily limit times NumDiasPagados.

    Args:
        table: limits by date of the document.
    """

    def check(node: SubsidioAlEmpleo, ctx: EvaluationContext) -> RuleResult:
        nomina, daily = payroll_of(node, ctx), subsidy_limits(ctx.on, table).daily
        limit = daily * nomina.dias_pagados
        if nomina.dias_pagados <= MONTH or node.causado <= limit:
            return None
        expected = f"a lo más {limit:f}, {daily:f} por NumDiasPagados {nomina.NumDiasPagados}"
        return Violation(found=node.SubsidioCausado, expected=expected)

    return check


def balance_covers_remainder(node: CompensacionSaldosAFavor, _ctx: EvaluationContext) -> RuleResult:
    """SaldoAFavor is at least RemanenteSalFav."""
    if node.saldo >= node.remanente:
        return None
    return Violation(found=node.SaldoAFavor, expected=f"al menos {node.RemanenteSalFav}, el RemanenteSalFav")


def has_subsidy_or_adjustment_with_regime_02(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    """TipoRegimen 02 has a payment 002, or an adjustment 007 or 008, and not both."""
    if nomina.receptor.TipoRegimen != WAGES:
        return None
    kinds = {row.TipoOtroPago for row in nomina.otros_pagos}
    adjusted = kinds & ADJUSTMENTS
    if (SUBSIDY in kinds) != bool(adjusted):
        return None
    if adjusted:
        return Violation(found=f"002 y {' y '.join(sorted(adjusted))}", expected="002 sin 007 ni 008")
    return Violation(expected="un pago 002, por TipoRegimen 02; o 007 o 008")


def is_no_subsidy_with_other_regime(row: OtroPago, ctx: EvaluationContext) -> RuleResult:
    """With a TipoRegimen other than 02, TipoOtroPago is none of 002, 007 and 008."""
    if row.TipoOtroPago != SUBSIDY and row.TipoOtroPago not in ADJUSTMENTS:
        return None
    regime = payroll_of(row, ctx).receptor.TipoRegimen
    if regime == WAGES:
        return None
    return Violation(found=row.TipoOtroPago, expected=f"otra clave que 002, 007 y 008, por TipoRegimen {regime}")
