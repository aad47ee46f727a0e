"""The document that carries the complement: SPT102 to SPT114, SPT122, SPT124."""

from __future__ import annotations

from timbra.cfdi.nodes.base import number
from timbra.cfdi.nodes.retenciones20 import Extranjero, ImpRetenidos, Nacional, Periodo, Retenciones, Totales
from timbra.cfdi.nodes.retenciones20.plataformas10 import ServiciosPlataformasTecnologicas
from timbra.rules.engine.context import RetencionesContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.plataformastecnologicas10.platform import (
    DIGITAL,
    ISR,
    IVA,
    ZERO,
    equal,
    has_tax_id,
    is_digital,
    platform,
    services,
    transferred,
    withheld,
)

KEY = "26"
"""Key of c_CveRetenc: Servicios mediante plataformas tecnológicas."""
FIRST_YEAR = 2019


@rule(
    "SPT102",
    at="@CveRetenc",
    says="Con el complemento, CveRetenc debe ser 26, y el complemento debe existir una sola vez.",
)
def key_is_that_of_platforms(retenciones: Retenciones, _ctx: RetencionesContext) -> RuleResult:
    if retenciones.CveRetenc != KEY:
        return Violation(found=retenciones.CveRetenc, expected="26, por el complemento")
    count = len(retenciones.of(ServiciosPlataformasTecnologicas))
    return None if count == 1 else Violation(found=f"{count} complementos", expected="uno solo", at="Complemento")


def has_own_rfc(nacional: Nacional, _ctx: RetencionesContext) -> bool:
    return not nacional.is_generic


@rule(
    "SPT103",
    at="Receptor/Nacional/@RfcR",
    says="RfcR debe ser XAXX010101000 o estar en la lista de RFC inscritos y no cancelados.",
    applies=has_own_rfc,
    needs=(DataRequirement.TAXPAYERS,),
    inseparable=("Reten20113",),
)
def provider_is_registered(nacional: Nacional, ctx: RetencionesContext) -> RuleResult:
    if ctx.taxpayer(nacional.RfcR) is not None:
        return None
    expected = "XAXX010101000 o un RFC inscrito y no cancelado (l_RFC)"
    return Violation(found=nacional.RfcR, expected=expected, hint=ctx.reference_data.registry_hint)


@rule(
    "SPT104",
    at="Receptor/Extranjero/@NumRegIdTribR",
    says="NumRegIdTribR debe existir; si el residente en el extranjero no lo proporciona, es XEXX010101000.",
)
def tax_id_is_present(extranjero: Extranjero, _ctx: RetencionesContext) -> RuleResult:
    if extranjero.NumRegIdTribR:
        return None
    return Violation(found=extranjero.NumRegIdTribR, expected="el número de registro, o XEXX010101000")


@rule(
    "SPT105",
    at="Periodo/@MesFin",
    says="MesFin debe ser igual a MesIni.",
)
def period_is_one_month(periodo: Periodo, _ctx: RetencionesContext) -> RuleResult:
    if periodo.MesFin == periodo.MesIni:
        return None
    return Violation(found=periodo.MesFin, expected=f"{periodo.MesIni}, como MesIni")


@rule(
    "SPT106",
    at="Periodo/@Ejercicio",
    says="Ejercicio debe ser mayor que 2018 y a lo más el año de FechaExp.",
    inseparable=("Reten20126",),
)
def year_has_platforms(periodo: Periodo, ctx: RetencionesContext) -> RuleResult:
    year, last = periodo.Ejercicio, ctx.issued.year
    if year.isdigit() and FIRST_YEAR <= int(year) <= last:
        return None
    return Violation(found=year, expected=f"un año de {FIRST_YEAR} a {last}")


@rule(
    "SPT107",
    at="Totales/@MontoTotOperacion",
    says="MontoTotOperacion debe ser igual a MonTotServSIVA del complemento.",
)
def operation_is_that_of_the_services(totales: Totales, ctx: RetencionesContext) -> RuleResult:
    expected = number(ctx.memoize(platform).MonTotServSIVA)
    return equal(totales.MontoTotOperacion, totales.operacion, expected, "MonTotServSIVA")


@rule(
    "SPT108",
    at="Totales/@MontoTotGrav",
    says="MontoTotGrav debe ser igual a MontoTotOperacion.",
    inseparable=("SPT109",),
)
def operation_is_taxed(totales: Totales, _ctx: RetencionesContext) -> RuleResult:
    return equal(totales.MontoTotGrav, totales.gravado, totales.operacion, "MontoTotOperacion")


@rule(
    "SPT109",
    at="Totales/@MontoTotExent",
    says="MontoTotExent debe ser cero.",
    inseparable=("SPT108",),
)
def nothing_is_exempt(totales: Totales, _ctx: RetencionesContext) -> RuleResult:
    return equal(totales.MontoTotExent, totales.exento, ZERO, "en una plataforma tecnológica")


@rule(
    "SPT110",
    at="Totales/@MontoTotRet",
    says="MontoTotRet debe ser la suma de MontoRet de los nodos ImpRetenidos.",
    inseparable=("Reten20131",),
)
def withheld_is_the_sum(totales: Totales, _ctx: RetencionesContext) -> RuleResult:
    total = sum((each.monto for each in totales.retenidos), ZERO)
    return equal(totales.MontoTotRet, totales.retenido, total, "la suma de MontoRet")


@rule(
    "SPT111",
    at="Totales/ImpRetenidos/@ImpuestoRet",
    says="Cuando RfcE es de una persona física, ImpuestoRet no debe ser 001.",
)
def natural_person_withholds_no_isr(retenido: ImpRetenidos, ctx: RetencionesContext) -> RuleResult:
    rfc = ctx.document.emisor.RfcE
    if retenido.ImpuestoRet != ISR or len(rfc) != 13:
        return None
    return Violation(found=ISR, expected=f"otro impuesto, por el RFC {rfc} de persona física")


@rule(
    "SPT112",
    at="Totales",
    says="Debe existir un nodo ImpRetenidos con ImpuestoRet 002 cuando los servicios trasladan IVA.",
)
def iva_is_withheld(_totales: Totales, ctx: RetencionesContext) -> RuleResult:
    if withheld(ctx, IVA) or not transferred(ctx):
        return None
    return Violation(expected="un nodo con ImpuestoRet 002, por el IVA de los servicios", at="ImpRetenidos")


@rule(
    "SPT113",
    at="Totales",
    says="Debe existir a lo más un nodo ImpRetenidos por impuesto.",
)
def each_tax_has_one_row(_totales: Totales, ctx: RetencionesContext) -> RuleResult:
    for tax in (ISR, IVA):
        count = len(withheld(ctx, tax))
        if count > 1:
            return Violation(found=f"{count} nodos con ImpuestoRet {tax}", expected="uno solo", at="ImpRetenidos")
    return None


@rule(
    "SPT114",
    at="Totales",
    says="Con NumRegIdTribR debe existir un nodo ImpRetenidos con ImpuestoRet 002.",
)
def iva_of_foreigners_is_withheld(_totales: Totales, ctx: RetencionesContext) -> RuleResult:
    if not has_tax_id(ctx) or withheld(ctx, IVA):
        return None
    return Violation(expected="un nodo con ImpuestoRet 002, por NumRegIdTribR", at="ImpRetenidos")


@rule(
    "SPT122",
    at="Totales/ImpRetenidos/@ImpuestoRet",
    says="Con NumRegIdTribR y TipoDeServ 07, 08 o 09, ImpuestoRet no debe ser 001.",
    inseparable=("SPT123", "SPT124"),
)
def digital_services_of_foreigners_have_no_isr(retenido: ImpRetenidos, ctx: RetencionesContext) -> RuleResult:
    if retenido.ImpuestoRet != ISR or not has_tax_id(ctx) or not is_digital(ctx):
        return None
    kinds = sorted({each.TipoDeServ for each in services(ctx)} & set(DIGITAL))
    return Violation(found=ISR, expected=f"otro impuesto, por NumRegIdTribR y TipoDeServ {', '.join(kinds)}")


@rule(
    "SPT124",
    at="Receptor/Extranjero/@NumRegIdTribR",
    says="NumRegIdTribR no debe existir cuando un nodo ImpRetenidos tiene ImpuestoRet 001.",
)
def foreigner_has_no_isr(extranjero: Extranjero, ctx: RetencionesContext) -> RuleResult:
    if not withheld(ctx, ISR) or extranjero.NumRegIdTribR is None:
        return None
    return Violation(found=extranjero.NumRegIdTribR, expected="que no exista, por un nodo con ImpuestoRet 001")
