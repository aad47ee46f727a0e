"""Dates of a payroll: its period, the start of the employment, and Antigüedad, in weeks or in years, months and days.

SAT's guide counts both the first and the last day; its matrix states only "the time between", and the practice of
providers is not public. The duration may therefore include the last day or not, and a month that has no such day may
end on its last one or continue into the next. Weeks have only an upper limit.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta
from typing import Final, NamedTuple

from timbra.cfdi.nodes.nomina12 import CompensacionSaldosAFavor, Nomina, ReceptorNomina
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.nomina.recibos import payroll_of

DECEMBER: Final = 12
WEEK: Final = 7
YEAR: Final = 12
ONE_DAY: Final = timedelta(days=1)
_WEEKS = re.compile(r"P([1-9][0-9]{0,3})W")
_CALENDAR = re.compile(r"P(?:([1-9][0-9]?)Y)?(?:([1-9]|1[012])M)?(0|[1-9]|[12][0-9]|3[01])D")


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


class Duration(NamedTuple):
    """Whole months, and the remaining days."""

    months: int
    days: int

    def __str__(self) -> str:
        years, months = divmod(self.months, YEAR)
        return f"P{f'{years}Y' if years else ''}{f'{months}M' if months else ''}{self.days}D"


def weeks_are_within_employment(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    """Antigüedad as `PnW`: n <= (days between + 1) / 7. Other forms pass."""
    nomina = payroll_of(receptor, ctx)
    text = (receptor.Antigüedad or "").strip()
    match, span = _WEEKS.fullmatch(text), _span(receptor, nomina)
    if match is None or span is None:
        return None
    most = ((span[1] - span[0]).days + 1) // WEEK
    return (
        None if int(match[1]) <= most else Violation(found=text, expected=f"a lo más P{max(most, 0)}W, {_why(*span)}")
    )


def calendar_period_equals_employment(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    """Antigüedad as `PnYnMnD`: the calendar difference. Other forms pass.

    Employment that begins after the period passes too.
    """
    nomina = payroll_of(receptor, ctx)
    text = (receptor.Antigüedad or "").strip()
    match, span = _CALENDAR.fullmatch(text), _span(receptor, nomina)
    if match is None or span is None:
        return None
    years, months, days = (int(part or 0) for part in match.groups())
    counted = accepted_durations(*span)
    if not counted or Duration(years * YEAR + months, days) in counted:
        return None
    return Violation(found=text, expected=f"{counted[0]}, {_why(*span)}")


def accepted_durations(first: date, last: date) -> tuple[Duration, ...]:
    """Return the accepted durations from one date to another, the one that includes the last day first.

    Empty when the first date is later.
    """
    if first > last:
        return ()
    ends = (last + ONE_DAY, last) if last < date.max else (last,)
    return tuple(count(first, end) for count in (between, between_with_borrowed_days) for end in ends)


def between(first: date, end: date) -> Duration:
    """Return the calendar difference; a day that a month does not have is the last day of that month."""
    months = (end.year - first.year) * YEAR + end.month - first.month
    if _months_after(first, months) > end:
        months -= 1
    return Duration(months, (end - _months_after(first, months)).days)


def _months_after(first: date, months: int) -> date:
    year, month = divmod(first.year * YEAR + first.month - 1 + months, YEAR)
    return date(year, month + 1, min(first.day, monthrange(year, month + 1)[1]))


def between_with_borrowed_days(first: date, end: date) -> Duration:
    """Return the calendar difference in which days are borrowed from the month before the end."""
    months = (end.year - first.year) * YEAR + end.month - first.month
    if end.day >= first.day:
        return Duration(months, end.day - first.day)
    before = end.replace(day=1) - ONE_DAY
    return Duration(months - 1, max(before.day - first.day, 0) + end.day)


def _span(receptor: ReceptorNomina, nomina: Nomina) -> tuple[date, date] | None:
    began, last = day(receptor.FechaInicioRelLaboral), day(nomina.FechaFinalPago)
    return None if began is None or last is None else (began, last)


def _why(first: date, last: date) -> str:
    return f"del {first} (FechaInicioRelLaboral) al {last} (FechaFinalPago)"
