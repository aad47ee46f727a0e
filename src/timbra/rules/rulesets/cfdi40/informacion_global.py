"""The global invoice: CFDI40130 to CFDI40136."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, InformacionGlobal
from timbra.cfdi.rfc import NATIONAL
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.predicates import PUBLIC, in_catalog

TWO_MONTHS, INCORPORACION_FISCAL = "05", "621"
SINGLE_MONTHS = frozenset(f"{month:02}" for month in range(1, 13))
TWO_MONTH_PERIODS = frozenset(f"{month:02}" for month in range(13, 19))
FIRST_YEAR = 2019
MAX_AGE_YEARS = 5


@rule(
    "CFDI40130",
    at="InformacionGlobal",
    says="Una factura a PUBLICO EN GENERAL con el RFC genérico nacional debe llevar InformacionGlobal.",
    types="I",
)
def sales_to_general_public_have_informacion_global(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    receptor = comprobante.receptor
    if receptor.Rfc != NATIONAL or receptor.Nombre != PUBLIC or comprobante.informacion_global is not None:
        return None
    return Violation(expected=f"el nodo, por el receptor {NATIONAL} {PUBLIC}")


CFDI40131 = row(
    "CFDI40131",
    InformacionGlobal,
    at="InformacionGlobal/@Periodicidad",
    says="Periodicidad debe ser una clave vigente de c_Periodicidad.",
    check=in_catalog("c_Periodicidad", "Periodicidad"),
)


@rule(
    "CFDI40132",
    at="InformacionGlobal/@Periodicidad",
    says="Con Periodicidad 05, el régimen del emisor debe ser 621.",
)
def two_months_require_regime_621(informacion: InformacionGlobal, ctx: EvaluationContext) -> RuleResult:
    regime = ctx.comprobante.emisor.RegimenFiscal
    if informacion.Periodicidad != TWO_MONTHS or regime == INCORPORACION_FISCAL:
        return None
    return Violation(found=TWO_MONTHS, expected=f"01 a 04: el régimen del emisor es {regime} y 05 es para 621")


CFDI40133 = row(
    "CFDI40133",
    InformacionGlobal,
    at="InformacionGlobal/@Meses",
    says="Meses debe ser una clave vigente de c_Meses.",
    check=in_catalog("c_Meses", "Meses"),
    inseparable=("CFDI40134",),
)


@rule(
    "CFDI40134",
    at="InformacionGlobal/@Meses",
    says="Con Periodicidad distinta de 05, Meses debe estar entre 01 y 12.",
)
def month_is_single_unless_two_months(informacion: InformacionGlobal, _ctx: EvaluationContext) -> RuleResult:
    if informacion.Periodicidad == TWO_MONTHS or informacion.Meses in SINGLE_MONTHS:
        return None
    return Violation(found=informacion.Meses, expected=f"01 a 12, por Periodicidad {informacion.Periodicidad}")


@rule(
    "CFDI40135",
    at="InformacionGlobal/@Meses",
    says="Con Periodicidad 05, Meses debe estar entre 13 y 18.",
)
def month_is_pair_with_two_months(informacion: InformacionGlobal, _ctx: EvaluationContext) -> RuleResult:
    if informacion.Periodicidad != TWO_MONTHS or informacion.Meses in TWO_MONTH_PERIODS:
        return None
    return Violation(found=informacion.Meses, expected="13 a 18, por Periodicidad 05")


@rule(
    "CFDI40136",
    at="InformacionGlobal/@Año",
    says="Año debe ser el año del comprobante o uno de los cinco anteriores.",
    note="El esquema lo limita a partir de 2019.",
)
def year_is_recent(informacion: InformacionGlobal, ctx: EvaluationContext) -> RuleResult:
    year = ctx.issued.year
    first = max(FIRST_YEAR, year - MAX_AGE_YEARS)
    text = informacion.Año.strip()
    if text.isdecimal() and first <= int(text[:9]) <= year:
        return None
    return Violation(found=informacion.Año, expected=f"entre {first} y {year}")
