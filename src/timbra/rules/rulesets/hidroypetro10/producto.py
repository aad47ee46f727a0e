"""The fuel: CCHYP110, the keys of ClaveHYP and the unit."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes import Concepto
from timbra.cfdi.nodes.hidroypetro10 import HidroYPetro
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Severity, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.hidroypetro10.sources import ANEXO_29_HYDROCARBONS, CATALOG_CLAVE_HYP
from timbra.rules.shared.conditions import key_of

FUELS: Final = "hidroypetro10:c_ClaveHYP"
SUB_PRODUCTS, UNIT = "subproductos", "clave_unidad"


@rule(
    "CFDI40999:HYP-ClaveHYP",
    at="Conceptos/Concepto/ComplementoConcepto/HidroYPetro/@ClaveHYP",
    says="ClaveHYP debe ser una clave de c_ClaveHYP e igual a ClaveProdServ del concepto.",
    cites=ANEXO_29_HYDROCARBONS,
)
def fuel_equals_product_of_concepto(permiso: HidroYPetro, ctx: EvaluationContext) -> RuleResult:
    product = ctx.comprobante.concepto_of(permiso).ClaveProdServ
    if permiso.ClaveHYP != product:
        return Violation(found=permiso.ClaveHYP, expected=f"{product}, la ClaveProdServ del concepto")
    return key_of(ctx, FUELS, permiso.ClaveHYP)


@rule(
    "CFDI40999:HYP-ClaveHYP-L_CNE",
    at="Conceptos/Concepto/ComplementoConcepto/HidroYPetro/@ClaveHYP",
    says="ClaveHYP debe ser un combustible del permiso, según la lista L_CNE.",
    note="No se evalúa con un permiso que no se conoce.",
    needs=(DataRequirement.PERMITS,),
    cites=ANEXO_29_HYDROCARBONS,
)
def fuel_is_of_permit(permiso: HidroYPetro, ctx: EvaluationContext) -> RuleResult:
    listed = ctx.reference_data.permits
    found = listed.permit(permiso.NumeroPermiso) if listed is not None else None
    if found is None or permiso.ClaveHYP in found.fuels:
        return None
    allowed = ctx.disclose(" o ".join(sorted(found.fuels))) or "un combustible autorizado"
    return Violation(found=permiso.ClaveHYP, expected=f"{allowed}, por el permiso {permiso.NumeroPermiso}")


@rule(
    "CCHYP110",
    at="Conceptos/Concepto/ComplementoConcepto/HidroYPetro/@SubProductoHYP",
    says="SubProductoHYP debe ser uno de los subproductos de ClaveHYP.",
    note="No se evalúa con un combustible que no se conoce.",
    columns=((FUELS, SUB_PRODUCTS),),
)
def sub_product_is_of_fuel(permiso: HidroYPetro, ctx: EvaluationContext) -> RuleResult:
    row = ctx.row(FUELS, permiso.ClaveHYP)
    if row is None or permiso.SubProductoHYP in row[SUB_PRODUCTS].split(","):
        return None
    allowed = row[SUB_PRODUCTS].replace(",", ", ")
    return Violation(found=permiso.SubProductoHYP, expected=f"alguna de {allowed}, por ClaveHYP {permiso.ClaveHYP}")


@rule(
    "CFDI40999:HYP-unit",
    at="Conceptos/Concepto/@ClaveUnidad",
    says="ClaveUnidad del concepto debe ser la unidad del combustible en c_ClaveHYP.",
    note="Es un aviso: ninguna matriz conocida tiene un código para esta condición.",
    columns=((FUELS, UNIT),),
    severity=Severity.WARNING,
    cites=CATALOG_CLAVE_HYP,
)
def unit_is_of_fuel(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    row = ctx.row(FUELS, concepto.ClaveProdServ)
    if row is None or concepto.ClaveUnidad == row[UNIT]:
        return None
    return Violation(found=concepto.ClaveUnidad, expected=f"{row[UNIT]}, por ClaveProdServ {concepto.ClaveProdServ}")
