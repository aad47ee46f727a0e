"""NumeroPedimento, of a Concepto or of a Parte."""

from __future__ import annotations

import re

from timbra.cfdi.nodes import InformacionAduanera
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import Indeterminate, RuleResult, Violation
from timbra.rules.shared.conditions import absent, has_comercio_exterior

YEARS_BACK = 10
PEDIMENTOS = "c_NumPedimentoAduana"
_FORM = re.compile(r"(?P<year>[0-9]{2})  (?P<aduana>[0-9]{2})  (?P<patente>[0-9]{4})  [0-9](?P<number>[0-9]{6})")


def possible(
    number: str, ctx: EvaluationContext, years_back: int = YEARS_BACK, *, per_patent: bool = True
) -> RuleResult:
    """Check the parts of a NumeroPedimento: year, customs office, patent and number.

    Args:
        number: as written.
        years_back: age in years of the oldest allowed year.
        per_patent: whether the matrix asks for the row of customs office, patent and year; False when it names customs
            office and year only, so that the absence of that row decides nothing.
    """
    parts = _FORM.fullmatch(number)
    if parts is None:
        return Violation(found=number, expected="AA  BB  CCCC  DDDDDDD, con dos espacios entre los grupos")
    years = {f"{year % 100:02}" for year in range(ctx.issued.year - years_back, ctx.issued.year + 1)}
    if parts["year"] not in years:
        return Violation(found=number, expected=f"un año de {min(years)} a {max(years)} en las posiciones 1 y 2")
    if not ctx.in_force("c_Aduana", parts["aduana"]):
        return Violation(found=number, expected="una clave de c_Aduana en las posiciones 5 y 6")
    if not ctx.in_force("c_PatenteAduanal", parts["patente"]):
        return Violation(found=number, expected="una clave de c_PatenteAduanal en las posiciones 9 a 12")
    if parts["number"] == "000000":
        return Violation(found=number, expected="un número desde 000001 en las últimas seis posiciones")
    return _assigned(parts, number, ctx, per_patent)


def _assigned(parts: re.Match[str], number: str, ctx: EvaluationContext, per_patent: bool) -> RuleResult:
    """Check the quantity of numbers that c_NumPedimentoAduana assigns to customs office, patent and year.

    The SAT adds rows during the year: a row that is missing on a date after the publication is indeterminate.
    """
    if not ctx.catalogs.has(PEDIMENTOS, "cantidad"):
        return Indeterminate(PEDIMENTOS)
    row = ctx.row(PEDIMENTOS, f"{parts['aduana']}|{parts['patente']}|{parts['year']}")
    if row is None:
        published = ctx.catalogs.published(PEDIMENTOS)
        if published is None or not per_patent:
            return Indeterminate(PEDIMENTOS)
        if ctx.issued > published:
            return Indeterminate(f"{PEDIMENTOS} posterior al {published}")
        return Violation(found=number, expected="una aduana, patente y año de c_NumPedimentoAduana")
    if int(parts["number"]) > int(row["cantidad"]):
        return Violation(found=number, expected=f"un número de 000001 a {row['cantidad']:0>6} al final")
    return None


def pedimento_is_valid(aduana: InformacionAduanera, ctx: EvaluationContext) -> RuleResult:
    """NumeroPedimento has a valid year, customs office, patent and number."""
    return possible(aduana.NumeroPedimento, ctx)


def pedimento_is_absent_in_exports(aduana: InformacionAduanera, ctx: EvaluationContext) -> RuleResult:
    """NumeroPedimento is absent with the complement Comercio Exterior."""
    if not has_comercio_exterior(ctx.comprobante):
        return None
    return absent(aduana.NumeroPedimento, "con el complemento Comercio Exterior")
