"""The global invoice: CFDI40130 to CFDI40136."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, InformacionGlobal
from timbra.cfdi.rfc import NATIONAL
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import PUBLIC, key_of

BIMONTHLY, INCORPORATION = "05", "621"
MONTHS = frozenset(f"{month:02}" for month in range(1, 13))
PAIRS = frozenset(f"{month:02}" for month in range(13, 19))
FIRST_YEAR = 2019
YEARS_BACK = 5


@rule("CFDI40130", at="InformacionGlobal", types="I")
def sales_to_the_public_say_their_period(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    receptor = comprobante.receptor
    if receptor.Rfc != NATIONAL or receptor.Nombre != PUBLIC or comprobante.informacion_global is not None:
        return None
    return Violation(expected=f"el nodo, por el receptor {NATIONAL} {PUBLIC}")


@rule("CFDI40131", at="InformacionGlobal/@Periodicidad")
def period_is_a_key(informacion: InformacionGlobal, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Periodicidad", informacion.Periodicidad)


@rule("CFDI40132", at="InformacionGlobal/@Periodicidad")
def two_months_are_for_incorporation(informacion: InformacionGlobal, ctx: EvaluationContext) -> RuleResult:
    regime = ctx.comprobante.emisor.RegimenFiscal
    if informacion.Periodicidad != BIMONTHLY or regime == INCORPORATION:
        return None
    return Violation(found=BIMONTHLY, expected=f"01 a 04: el régimen del emisor es {regime} y 05 es para 621")


@rule("CFDI40133", at="InformacionGlobal/@Meses", inseparable=("CFDI40134",))
def months_are_a_key(informacion: InformacionGlobal, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Meses", informacion.Meses)


@rule("CFDI40134", at="InformacionGlobal/@Meses")
def single_months_unless_bimonthly(informacion: InformacionGlobal, _ctx: EvaluationContext) -> RuleResult:
    if informacion.Periodicidad == BIMONTHLY or informacion.Meses in MONTHS:
        return None
    return Violation(found=informacion.Meses, expected=f"01 a 12, por Periodicidad {informacion.Periodicidad}")


@rule("CFDI40135", at="InformacionGlobal/@Meses")
def pairs_of_months_when_bimonthly(informacion: InformacionGlobal, _ctx: EvaluationContext) -> RuleResult:
    if informacion.Periodicidad != BIMONTHLY or informacion.Meses in PAIRS:
        return None
    return Violation(found=informacion.Meses, expected="13 a 18, por Periodicidad 05")


@rule("CFDI40136", at="InformacionGlobal/@Año")
def year_is_recent(informacion: InformacionGlobal, ctx: EvaluationContext) -> RuleResult:
    """The year of the document or one of the five before it, 2019 the first."""
    year = ctx.on.year
    first = max(FIRST_YEAR, year - YEARS_BACK)
    text = informacion.Año.strip()
    if text.isdecimal() and first <= int(text[:9]) <= year:
        return None
    return Violation(found=informacion.Año, expected=f"entre {first} y {year}")
