"""The document, its complements and the document it relates to: Reten20103 to Reten20107, Reten20109."""

from __future__ import annotations

from lxml import etree

from timbra.cfdi.document import RETENCIONES1
from timbra.cfdi.nodes.retenciones20 import CfdiRetenRelacionados, Retenciones
from timbra.cfdi.nodes.retenciones20.pagosaextranjeros import Pagosaextranjeros
from timbra.cfdi.tfd import TFD
from timbra.rules.engine.context import RetencionesContext
from timbra.rules.engine.result import RuleResult, Severity, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.retenciones20.sources import ANEXO_20, PAGOS_A_EXTRANJEROS
from timbra.rules.shared.predicates import in_catalog

PLANES_10 = f"{RETENCIONES1}/planesderetiro"
"""Planes de retiro 1.0, which only documents of version 1.0 may carry."""
OTHER = "25"
"""Key of c_CveRetenc: Otro tipo de retenciones."""


@rule(
    "Reten20103",
    at="@FechaExp",
    says="FechaExp debe ser una fecha y hora AAAA-MM-DDThh:mm:ss.",
    note="Es la hora local de LugarExpRetenc; el plazo para timbrar es T401.",
)
def date_is_a_date(retenciones: Retenciones, ctx: RetencionesContext) -> RuleResult:
    if ctx.local is not None:
        return None
    return Violation(found=retenciones.FechaExp, expected="una fecha y hora AAAA-MM-DDThh:mm:ss")


Reten20104 = row(
    "Reten20104",
    Retenciones,
    at="@LugarExpRetenc",
    says="LugarExpRetenc debe ser una clave vigente de c_CodigoPostal.",
    check=in_catalog("c_CodigoPostal", "LugarExpRetenc"),
)
Reten20105 = row(
    "Reten20105",
    Retenciones,
    at="@CveRetenc",
    says="CveRetenc debe ser una clave vigente de c_CveRetenc.",
    check=in_catalog("retenciones20:c_CveRetenc", "CveRetenc"),
)


def is_other(retenciones: Retenciones, _ctx: RetencionesContext) -> bool:
    return retenciones.CveRetenc == OTHER


@rule(
    "Reten20106",
    at="@DescRetenc",
    says="Con CveRetenc 25, DescRetenc debe existir.",
    applies=is_other,
)
def other_withholding_has_a_description(retenciones: Retenciones, _ctx: RetencionesContext) -> RuleResult:
    if retenciones.DescRetenc is not None:
        return None
    return Violation(expected="la descripción de la retención, por CveRetenc 25")


@rule(
    "Reten20107",
    at="@CveRetenc",
    says="El CFDI debe llevar el complemento que c_CveRetenc señala para CveRetenc.",
    note=(
        "Las claves 01, 02, 04 y 05 lo exigen solo con NacionalidadR Extranjero; la clave 27, solo cuando el emisor "
        "actúa como fiduciario, lo que el documento no muestra."
    ),
    columns=(("retenciones20:c_CveRetenc", "complemento"),),
)
def complement_of_the_key_is_present(retenciones: Retenciones, ctx: RetencionesContext) -> RuleResult:
    key = ctx.row("retenciones20:c_CveRetenc", retenciones.CveRetenc)
    if key is None or not key["complemento"] or key["condicion"] == "fiduciario":
        return None
    if key["condicion"] == "extranjero" and retenciones.receptor.NacionalidadR != "Extranjero":
        return None
    names = {etree.QName(element).localname for element in retenciones.complementos}
    if key["complemento"] in names:
        return None
    expected = f"el complemento {key['complemento']}, por CveRetenc {retenciones.CveRetenc}"
    return Violation(expected=expected, at="Complemento")


Reten20109 = row(
    "Reten20109",
    CfdiRetenRelacionados,
    at="CfdiRetenRelacionados/@TipoRelacion",
    says="TipoRelacion debe ser una clave vigente de c_TipoRelacion.",
    check=in_catalog("c_TipoRelacion", "TipoRelacion"),
)


@rule(
    "TB4023:RET-complemento-unico",
    at="Complemento",
    says="Complemento solo admite el timbre y los complementos de retenciones, cada uno una vez.",
    cites=ANEXO_20,
)
def complements_are_of_retenciones(retenciones: Retenciones, _ctx: RetencionesContext) -> RuleResult:
    seen: set[object] = set()
    for element in retenciones.complementos:
        name = etree.QName(element)
        namespace = str(name.namespace or "")
        if namespace == PLANES_10 or (namespace != TFD and not namespace.startswith(f"{RETENCIONES1}/")):
            expected = "un complemento de retenciones e información de pagos"
            return Violation(found=name.localname, expected=expected, at=f"Complemento/{name.localname}")
        if namespace != TFD and element.tag in seen:
            expected = "un solo complemento de cada tipo"
            return Violation(found=f"varios {name.localname}", expected=expected, at=f"Complemento/{name.localname}")
        seen.add(element.tag)
    return None


@rule(
    "T301:RET-PEX-si",
    at="Complemento/Pagosaextranjeros",
    says="Con EsBenefEfectDelCobro SI debe existir Beneficiario, y con NO, NoBeneficiario.",
    note="Ninguna matriz lo dispone y las descripciones del esquema no coinciden: solo es una advertencia.",
    severity=Severity.WARNING,
    cites=PAGOS_A_EXTRANJEROS,
)
def payee_is_of_its_kind(pago: Pagosaextranjeros, _ctx: RetencionesContext) -> RuleResult:
    is_beneficiary = pago.EsBenefEfectDelCobro == "SI"
    if pago.has_beneficiario if is_beneficiary else pago.has_no_beneficiario:
        return None
    child = "Beneficiario" if is_beneficiary else "NoBeneficiario"
    return Violation(expected=f"{child}, por EsBenefEfectDelCobro {pago.EsBenefEfectDelCobro}", at=child)
