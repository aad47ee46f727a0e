"""The totals of the complement: SPT125 to SPT134, SPT137."""

from __future__ import annotations

from timbra.cfdi.nodes.base import number
from timbra.cfdi.nodes.retenciones20.plataformas10 import ServiciosPlataformasTecnologicas
from timbra.rules.engine.context import RetencionesContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.plataformastecnologicas10.platform import (
    AT,
    ISR,
    IVA,
    ZERO,
    equal,
    transferred,
    withheld_amount,
)
from timbra.rules.shared.predicates import in_catalog

SPT125 = row(
    "SPT125",
    ServiciosPlataformasTecnologicas,
    at=f"{AT}/@Periodicidad",
    says="Periodicidad debe ser una clave del catálogo de periodicidad.",
    check=in_catalog("plataformastecnologicas10:c_Periodicidad", "Periodicidad"),
)


@rule(
    "SPT126",
    at="Complemento/ServiciosPlataformasTecnologicas/@NumServ",
    says="NumServ debe ser el número de nodos DetallesDelServicio.",
)
def number_of_services_is_counted(platform: ServiciosPlataformasTecnologicas, _ctx: RetencionesContext) -> RuleResult:
    count = len(platform.servicios)
    if number(platform.NumServ) == count:
        return None
    return Violation(found=platform.NumServ, expected=f"{count}, el número de servicios")


@rule(
    "SPT127",
    at="Complemento/ServiciosPlataformasTecnologicas/@MonTotServSIVA",
    says="MonTotServSIVA debe ser la suma de PrecioServSinIVA de los servicios.",
)
def amount_is_that_of_the_services(platform: ServiciosPlataformasTecnologicas, _ctx: RetencionesContext) -> RuleResult:
    total = sum((each.precio for each in platform.servicios), ZERO)
    return equal(platform.MonTotServSIVA, number(platform.MonTotServSIVA), total, "la suma de PrecioServSinIVA")


@rule(
    "SPT128",
    at="Complemento/ServiciosPlataformasTecnologicas/@TotalIVATrasladado",
    says="TotalIVATrasladado debe ser la suma de Importe de ImpuestosTrasladadosdelServicio.",
)
def iva_is_that_of_the_services(platform: ServiciosPlataformasTecnologicas, ctx: RetencionesContext) -> RuleResult:
    text = platform.TotalIVATrasladado
    return equal(text, number(text), transferred(ctx), "la suma del IVA de los servicios")


@rule(
    "SPT129",
    at="Complemento/ServiciosPlataformasTecnologicas/@TotalIVARetenido",
    says="TotalIVARetenido debe ser MontoRet del nodo ImpRetenidos con ImpuestoRet 002, o cero si los servicios no "
    "trasladan IVA.",
)
def iva_withheld_is_that_of_the_totals(
    platform: ServiciosPlataformasTecnologicas, ctx: RetencionesContext
) -> RuleResult:
    has_tax = any(each.impuestos is not None for each in platform.servicios)
    expected = withheld_amount(ctx, IVA) if has_tax else ZERO
    text = platform.TotalIVARetenido
    return equal(text, number(text), expected, "MontoRet del IVA" if has_tax else "sin IVA trasladado")


@rule(
    "SPT130",
    at="Complemento/ServiciosPlataformasTecnologicas/@TotalISRRetenido",
    says="TotalISRRetenido debe ser MontoRet del nodo ImpRetenidos con ImpuestoRet 001, o cero si no existe.",
)
def isr_withheld_is_that_of_the_totals(
    platform: ServiciosPlataformasTecnologicas, ctx: RetencionesContext
) -> RuleResult:
    text = platform.TotalISRRetenido
    return equal(text, number(text), withheld_amount(ctx, ISR), "MontoRet del ISR")


@rule(
    "SPT131",
    at="Complemento/ServiciosPlataformasTecnologicas/@DifIVAEntregadoPrestServ",
    says="DifIVAEntregadoPrestServ debe ser TotalIVATrasladado menos el IVA cobrado en efectivo y TotalIVARetenido.",
)
def difference_is_computed(platform: ServiciosPlataformasTecnologicas, ctx: RetencionesContext) -> RuleResult:
    cash = transferred(ctx, cash=True)
    expected = number(platform.TotalIVATrasladado) - cash - number(platform.TotalIVARetenido)
    text = platform.DifIVAEntregadoPrestServ
    return equal(text, number(text), expected, "TotalIVATrasladado menos efectivo y TotalIVARetenido")


@rule(
    "SPT132",
    at="Complemento/ServiciosPlataformasTecnologicas/@DifIVAEntregadoPrestServ",
    says="Con NacionalidadR Extranjero, DifIVAEntregadoPrestServ debe ser cero.",
    inseparable=("SPT131",),
)
def foreigner_gets_no_difference(platform: ServiciosPlataformasTecnologicas, ctx: RetencionesContext) -> RuleResult:
    if ctx.document.receptor.NacionalidadR != "Extranjero":
        return None
    text = platform.DifIVAEntregadoPrestServ
    return equal(text, number(text), ZERO, "por NacionalidadR Extranjero")


@rule(
    "SPT133",
    at="Complemento/ServiciosPlataformasTecnologicas/@MonTotalporUsoPlataforma",
    says="MonTotalporUsoPlataforma debe ser la suma de Importe de ComisionDelServicio.",
)
def commissions_are_summed(platform: ServiciosPlataformasTecnologicas, _ctx: RetencionesContext) -> RuleResult:
    total = sum((each.comision.importe for each in platform.servicios if each.comision is not None), ZERO)
    text = platform.MonTotalporUsoPlataforma
    return equal(text, number(text), total, "la suma de las comisiones")


@rule(
    "SPT134",
    at="Complemento/ServiciosPlataformasTecnologicas/@MonTotalContribucionGubernamental",
    says="MonTotalContribucionGubernamental debe existir con ContribucionGubernamental y ser la suma de ImpContrib.",
)
def contributions_are_summed(platform: ServiciosPlataformasTecnologicas, _ctx: RetencionesContext) -> RuleResult:
    rows = [each.contribucion for each in platform.servicios if each.contribucion is not None]
    text = platform.MonTotalContribucionGubernamental
    if not rows and text is None:
        return None
    total = sum((each.importe for each in rows), ZERO)
    if text is not None and number(text) == total:
        return None
    return Violation(found=text, expected=f"{total:f}, la suma de ImpContrib")


@rule(
    "SPT137",
    at="Complemento/ServiciosPlataformasTecnologicas",
    says="TipoDeServ debe ser la misma clave en todos los nodos DetallesDelServicio.",
)
def services_are_of_one_kind(platform: ServiciosPlataformasTecnologicas, _ctx: RetencionesContext) -> RuleResult:
    first, *others = platform.servicios
    for each in others:
        if each.TipoDeServ != first.TipoDeServ:
            at = f"Servicios/DetallesDelServicio[{each.index}]/@TipoDeServ"
            return Violation(found=each.TipoDeServ, expected=f"{first.TipoDeServ}, como el primer servicio", at=at)
    return None
