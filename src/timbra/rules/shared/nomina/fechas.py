"""Dates of a payroll: its period, and the start of the employment."""

from __future__ import annotations

from datetime import date
from typing import Final

from timbra.cfdi.nodes.nomina12 import CompensacionSaldosAFavor, Nomina, ReceptorNomina
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.nomina.recibos import payroll_of

DECEMBER: Final = 12


def day(text: str | None) -> date | None:
    """Parse the date of an attribute; None when it is absent or invalid."""
    try:
        return None if text is None else date.fromisoformat(text.strip())
    except ValueError:
        return None


def period_is_in_order(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    """FechaInicialPago is not after FechaFinalPago."""
    first, last = day(nomina.FechaInicialPago), day(nomina.FechaFinalPago)
    if first is None or last is None or first <= last:
        return None
    return Violation(found=nomina.FechaInicialPago, expected=f"a más tardar {last}, la FechaFinalPago")


def starts_before_end_of_period(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    """FechaInicioRelLaboral is not after FechaFinalPago."""
    nomina = payroll_of(receptor, ctx)
    began, last = day(receptor.FechaInicioRelLaboral), day(nomina.FechaFinalPago)
    if began is None or last is None or began <= last:
        return None
    return Violation(found=receptor.FechaInicioRelLaboral, expected=f"a más tardar {last}, la FechaFinalPago")


def is_year_of_balance(compensacion: CompensacionSaldosAFavor, ctx: EvaluationContext) -> RuleResult:
    """Año is the year before FechaPago, or the year of FechaPago when it is paid in December or for its December."""
    nomina = payroll_of(compensacion, ctx)
    paid, last = day(nomina.FechaPago), day(nomina.FechaFinalPago)
    if paid is None:
        return None
    allowed = [str(paid.year - 1)]
    if any(when is not None and (when.year, when.month) == (paid.year, DECEMBER) for when in (paid, last)):
        allowed.append(str(paid.year))
    found = compensacion.Año
    if found.strip().lstrip("+0") in allowed:
        return None
    return Violation(found=found, expected=f"{' o '.join(allowed)}, por la FechaPago {paid}")
