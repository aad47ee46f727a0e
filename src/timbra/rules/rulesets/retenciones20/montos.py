"""Period and amounts: Reten20108, Reten20121 to Reten20135."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes.base import number
from timbra.cfdi.nodes.retenciones20 import ImpRetenidos, Periodo, Totales
from timbra.rules.engine.context import RetencionesContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.predicates import in_catalog

RIF = "28"
"""Key of c_CveRetenc: Pagos y retenciones a contribuyentes del RIF."""
YEARS = 5
"""Number of previous years that Ejercicio may name."""

Reten20121 = row(
    "Reten20121",
    Periodo,
    at="Periodo/@MesIni",
    says="MesIni debe ser una clave vigente de c_Periodo.",
    note="Son dos dígitos, de 01 a 12.",
    check=in_catalog("retenciones20:c_Periodo", "MesIni"),
)
Reten20123 = row(
    "Reten20123",
    Periodo,
    at="Periodo/@MesFin",
    says="MesFin debe ser una clave vigente de c_Periodo.",
    note="Son dos dígitos, de 01 a 12.",
    check=in_catalog("retenciones20:c_Periodo", "MesFin"),
)


def has_months(periodo: Periodo, ctx: RetencionesContext) -> bool:
    return all(ctx.in_force("retenciones20:c_Periodo", month) for month in (periodo.MesIni, periodo.MesFin))


@rule(
    "Reten20122",
    at="Periodo/@MesIni",
    says="MesIni debe ser menor o igual que MesFin.",
    applies=has_months,
    inseparable=("Reten20124",),
)
def first_month_is_not_after_the_last(periodo: Periodo, _ctx: RetencionesContext) -> RuleResult:
    if periodo.MesIni <= periodo.MesFin:
        return None
    return Violation(found=periodo.MesIni, expected=f"a lo más MesFin, {periodo.MesFin}")


@rule(
    "Reten20124",
    at="Periodo/@MesFin",
    says="MesFin debe ser mayor o igual que MesIni.",
    applies=has_months,
    inseparable=("Reten20122",),
)
def last_month_is_not_before_the_first(periodo: Periodo, _ctx: RetencionesContext) -> RuleResult:
    if periodo.MesFin >= periodo.MesIni:
        return None
    return Violation(found=periodo.MesFin, expected=f"al menos MesIni, {periodo.MesIni}")


@rule(
    "Reten20126",
    at="Periodo/@Ejercicio",
    says="Ejercicio debe ser el año de FechaExp o uno de los cinco anteriores, y una clave de c_Ejercicio.",
    note="El Anexo 20 y la guía admiten solo el año en curso o el anterior; se sigue la matriz, que es posterior.",
)
def year_is_recent(periodo: Periodo, ctx: RetencionesContext) -> RuleResult:
    year, last = periodo.Ejercicio, ctx.issued.year
    if ctx.in_force("retenciones20:c_Ejercicio", year) and last - YEARS <= int(year) <= last:
        return None
    return Violation(found=year, expected=f"un año de {last - YEARS} a {last} que esté en c_Ejercicio")


def is_rif(_totales: Totales, ctx: RetencionesContext) -> bool:
    return ctx.document.CveRetenc == RIF


@rule(
    "Reten20108",
    at="Totales",
    says="Con CveRetenc 28, MontoTotGrav y MontoTotExent deben ser cero.",
    applies=is_rif,
)
def rif_has_no_amounts(totales: Totales, _ctx: RetencionesContext) -> RuleResult:
    for name, amount in (("MontoTotGrav", totales.gravado), ("MontoTotExent", totales.exento)):
        if amount:
            return Violation(found=f"{amount:f}", expected="0, por CveRetenc 28", at=f"@{name}")
    return None


@rule(
    "Reten20127",
    at="Totales/@MontoTotOperacion",
    says="MontoTotOperacion debe ser la suma de MontoTotGrav y MontoTotExent.",
)
def operation_is_the_sum(totales: Totales, _ctx: RetencionesContext) -> RuleResult:
    total = totales.gravado + totales.exento
    if totales.operacion == total:
        return None
    return Violation(found=totales.MontoTotOperacion, expected=f"{total:f}, MontoTotGrav más MontoTotExent")


def _at_most(text: str, amount: Decimal, totales: Totales) -> RuleResult:
    if amount <= totales.operacion:
        return None
    return Violation(found=text, expected=f"a lo más MontoTotOperacion, {totales.MontoTotOperacion}")


@rule(
    "Reten20128",
    at="Totales/@MontoTotGrav",
    says="MontoTotGrav debe ser menor o igual que MontoTotOperacion.",
    inseparable=("Reten20127",),
)
def taxed_is_within_the_operation(totales: Totales, _ctx: RetencionesContext) -> RuleResult:
    return _at_most(totales.MontoTotGrav, totales.gravado, totales)


@rule(
    "Reten20129",
    at="Totales/@MontoTotExent",
    says="MontoTotExent debe ser menor o igual que MontoTotOperacion.",
    inseparable=("Reten20127",),
)
def exempt_is_within_the_operation(totales: Totales, _ctx: RetencionesContext) -> RuleResult:
    return _at_most(totales.MontoTotExent, totales.exento, totales)


def is_withheld(totales: Totales, _ctx: RetencionesContext) -> bool:
    return totales.retenido > 0


@rule(
    "Reten20130",
    at="Totales/@MontoTotRet",
    says="Si MontoTotRet es mayor que cero, debe existir al menos un nodo ImpRetenidos.",
    applies=is_withheld,
)
def withheld_amount_has_rows(totales: Totales, _ctx: RetencionesContext) -> RuleResult:
    if totales.retenidos:
        return None
    return Violation(expected=f"al menos un nodo, por MontoTotRet {totales.MontoTotRet}", at="ImpRetenidos")


def has_withheld_rows(totales: Totales, _ctx: RetencionesContext) -> bool:
    return totales.retenido > 0 and bool(totales.retenidos)


@rule(
    "Reten20131",
    at="Totales/@MontoTotRet",
    says="Si MontoTotRet es mayor que cero, debe ser la suma de MontoRet de los nodos ImpRetenidos.",
    note="Sin nodos ImpRetenidos se informa Reten20130.",
    applies=has_withheld_rows,
)
def withheld_amount_is_the_sum(totales: Totales, _ctx: RetencionesContext) -> RuleResult:
    total = sum((each.monto for each in totales.retenidos), Decimal(0))
    if totales.retenido == total:
        return None
    return Violation(found=totales.MontoTotRet, expected=f"{total:f}, la suma de MontoRet")


def _positive(text: str | None) -> RuleResult:
    if number(text) > 0:
        return None
    return Violation(found=text, expected="un importe mayor que cero, por CveRetenc 28")


@rule(
    "Reten20132",
    at="Totales/@UtilidadBimestral",
    says="Con CveRetenc 28, UtilidadBimestral debe ser mayor que cero.",
    applies=is_rif,
)
def rif_has_a_profit(totales: Totales, _ctx: RetencionesContext) -> RuleResult:
    return _positive(totales.UtilidadBimestral)


@rule(
    "Reten20133",
    at="Totales/@ISRCorrespondiente",
    says="Con CveRetenc 28, ISRCorrespondiente debe ser mayor que cero.",
    applies=is_rif,
)
def rif_has_its_tax(totales: Totales, _ctx: RetencionesContext) -> RuleResult:
    return _positive(totales.ISRCorrespondiente)


Reten20134 = row(
    "Reten20134",
    ImpRetenidos,
    at="Totales/ImpRetenidos/@TipoPagoRet",
    says="TipoPagoRet debe ser una clave vigente de c_TipoPagoRet.",
    check=in_catalog("retenciones20:c_TipoPagoRet", "TipoPagoRet"),
)


def names_its_tax(retenido: ImpRetenidos, _ctx: RetencionesContext) -> bool:
    return retenido.ImpuestoRet is not None


@rule(
    "Reten20135",
    at="Totales/ImpRetenidos/@TipoPagoRet",
    says="TipoPagoRet debe ser de una clave cuyo tipo de impuesto es ImpuestoRet.",
    note="ImpuestoRet es opcional: sin él no se revisa.",
    applies=names_its_tax,
)
def payment_is_of_its_tax(retenido: ImpRetenidos, ctx: RetencionesContext) -> RuleResult:
    key = ctx.row("retenciones20:c_TipoPagoRet", retenido.TipoPagoRet)
    if key is None or key["impuesto"] == retenido.ImpuestoRet:
        return None
    expected = f"una clave del impuesto {retenido.ImpuestoRet}; {retenido.TipoPagoRet} es del {key['impuesto']}"
    return Violation(found=retenido.TipoPagoRet, expected=expected)
