"""The services: SPT123, SPT135, SPT136, SPT138 to SPT147."""

from __future__ import annotations

from timbra.cfdi.nodes.base import number
from timbra.cfdi.nodes.retenciones20.plataformas10 import (
    ComisionDelServicio,
    ContribucionGubernamental,
    DetallesDelServicio,
    ImpuestosTrasladadosdelServicio,
)
from timbra.rules.engine.context import RetencionesContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.plataformastecnologicas10.platform import (
    CATALOG,
    DIGITAL,
    ISR,
    SERVICE,
    cents,
    equal,
    withheld,
)
from timbra.rules.shared.predicates import in_catalog, is_registered

OTHER_INCOME = "09"
"""Key of c_FormaPagoServ: Otros ingresos por premios, bonificaciones o análogos."""


@rule(
    "SPT123",
    at=f"{SERVICE}/@TipoDeServ",
    says="Con un nodo ImpRetenidos con ImpuestoRet 001, TipoDeServ no debe ser 07, 08 ni 09.",
)
def digital_service_has_no_isr(servicio: DetallesDelServicio, ctx: RetencionesContext) -> RuleResult:
    if servicio.TipoDeServ not in DIGITAL or not withheld(ctx, ISR):
        return None
    return Violation(found=servicio.TipoDeServ, expected="otra clave que 07, 08 y 09, por la retención de ISR")


SPT135 = row(
    "SPT135",
    DetallesDelServicio,
    at=f"{SERVICE}/@FormaPagoServ",
    says="FormaPagoServ debe ser una clave de c_FormaPagoServ.",
    check=in_catalog("plataformastecnologicas10:c_FormaPagoServ", "FormaPagoServ"),
)
SPT136 = row(
    "SPT136",
    DetallesDelServicio,
    at=f"{SERVICE}/@TipoDeServ",
    says="TipoDeServ debe ser una clave de c_TipoDeServ.",
    check=in_catalog("plataformastecnologicas10:c_TipoDeServ", "TipoDeServ"),
)


@rule(
    "SPT138",
    at=f"{SERVICE}/@SubTipServ",
    says="SubTipServ debe ser una clave de c_SubTipoServ, de un TipoDeServ que tenga subtipos.",
    note="La relación de cada subtipo con su TipoDeServ no está en ninguna fuente: se revisa que TipoDeServ los tenga.",
    columns=((f"{CATALOG}:c_TipoDeServ", "subtipos"),),
)
def subtype_is_a_key(servicio: DetallesDelServicio, ctx: RetencionesContext) -> RuleResult:
    subtype = servicio.SubTipServ
    service = ctx.row(f"{CATALOG}:c_TipoDeServ", servicio.TipoDeServ)
    if subtype is None or service is None or not service["subtipos"]:
        return None
    if ctx.in_force(f"{CATALOG}:c_SubTipoServ", subtype):
        return None
    return Violation(found=subtype, expected=f"una clave de c_SubTipoServ, por TipoDeServ {servicio.TipoDeServ}")


SPT139 = row(
    "SPT139",
    DetallesDelServicio,
    at=f"{SERVICE}/@RFCTerceroAutorizado",
    says="RFCTerceroAutorizado debe estar en la lista de RFC inscritos y no cancelados.",
    check=is_registered("RFCTerceroAutorizado"),
    needs=(DataRequirement.TAXPAYERS,),
)


@rule(
    "SPT140",
    at=f"{SERVICE}/@FechaServ",
    says="FechaServ debe ser del Ejercicio y del mes del Periodo.",
)
def service_is_of_the_period(servicio: DetallesDelServicio, ctx: RetencionesContext) -> RuleResult:
    periodo = ctx.document.periodo
    month = f"{periodo.Ejercicio}-{periodo.MesFin}"
    if periodo.MesIni != periodo.MesFin or servicio.FechaServ.startswith(f"{month}-"):
        return None
    return Violation(found=servicio.FechaServ, expected=f"una fecha de {month}, el Periodo")


@rule(
    "SPT141",
    at=f"{SERVICE}/ImpuestosTrasladadosdelServicio",
    says="ImpuestosTrasladadosdelServicio no debe existir con FormaPagoServ 09, y debe existir con las demás.",
)
def service_has_its_taxes(servicio: DetallesDelServicio, _ctx: RetencionesContext) -> RuleResult:
    return _presence(servicio, servicio.impuestos is not None, "ImpuestosTrasladadosdelServicio")


def _presence(servicio: DetallesDelServicio, is_present: bool, name: str) -> RuleResult:
    if is_present is (servicio.FormaPagoServ != OTHER_INCOME):
        return None
    expected = f"que {'no ' if is_present else ''}exista, por FormaPagoServ {servicio.FormaPagoServ}"
    return Violation(found=name if is_present else None, expected=expected)


@rule(
    "SPT142",
    at=f"{SERVICE}/ImpuestosTrasladadosdelServicio/@Base",
    says="Base debe ser igual a PrecioServSinIVA.",
)
def base_is_the_price(impuestos: ImpuestosTrasladadosdelServicio, _ctx: RetencionesContext) -> RuleResult:
    return equal(impuestos.Base, impuestos.base, number(impuestos.precio), "PrecioServSinIVA")


@rule(
    "SPT143",
    at=f"{SERVICE}/ImpuestosTrasladadosdelServicio/@Importe",
    says="Importe debe ser Base por TasaCuota.",
    note="Se comparan importes truncados a dos decimales.",
)
def tax_is_base_by_rate(impuestos: ImpuestosTrasladadosdelServicio, _ctx: RetencionesContext) -> RuleResult:
    expected = cents(impuestos.base * impuestos.tasa)
    return equal(impuestos.Importe, cents(impuestos.importe), expected, "Base por TasaCuota")


SPT144 = row(
    "SPT144",
    ContribucionGubernamental,
    at=f"{SERVICE}/ContribucionGubernamental/@EntidadDondePagaLaContribucion",
    says="EntidadDondePagaLaContribucion debe ser una clave de c_EntidadesFederativas.",
    check=in_catalog("plataformastecnologicas10:c_EntidadesFederativas", "EntidadDondePagaLaContribucion"),
)


@rule(
    "SPT145",
    at=f"{SERVICE}/ContribucionGubernamental/@ImpContrib",
    says="ImpContrib debe ser mayor que 1.00.",
)
def contribution_is_above_one_peso(contribution: ContribucionGubernamental, _ctx: RetencionesContext) -> RuleResult:
    if contribution.importe > 1:
        return None
    return Violation(found=contribution.ImpContrib, expected="un importe mayor que 1.00")


@rule(
    "SPT146",
    at=f"{SERVICE}/ComisionDelServicio",
    says="ComisionDelServicio no debe existir con FormaPagoServ 09, y debe existir con las demás.",
)
def service_has_its_commission(servicio: DetallesDelServicio, _ctx: RetencionesContext) -> RuleResult:
    return _presence(servicio, servicio.comision is not None, "ComisionDelServicio")


@rule(
    "SPT147",
    at=f"{SERVICE}/ComisionDelServicio/@Importe",
    says="Importe de ComisionDelServicio debe ser mayor que cero.",
)
def commission_is_positive(comision: ComisionDelServicio, _ctx: RetencionesContext) -> RuleResult:
    if comision.importe > 0:
        return None
    return Violation(found=comision.Importe, expected="un importe mayor que cero")
