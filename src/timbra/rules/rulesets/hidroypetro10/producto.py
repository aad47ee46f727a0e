"""The fuel: CCHYP110, keys of ClaveHYP, its unit."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes import Concepto
from timbra.cfdi.nodes.hidroypetro10 import HidroYPetro
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Severity, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.hidroypetro10.matrix import ANEXO_29
from timbra.rules.rulesets.hidroypetro10.permiso import AT
from timbra.rules.shared.conditions import key_of

FUELS: Final = "hidroypetro10:c_ClaveHYP"
SUB_PRODUCTS, UNIT = "subproductos", "clave_unidad"


@rule("CFDI40999:HYP-ClaveHYP", at=f"{AT}/@ClaveHYP", source=ANEXO_29)
def fuel_is_that_of_the_concepto(permiso: HidroYPetro, ctx: EvaluationContext) -> RuleResult:
    product = ctx.comprobante.concepto_of(permiso).ClaveProdServ
    if permiso.ClaveHYP != product:
        return Violation(found=permiso.ClaveHYP, expected=f"{product}, la ClaveProdServ del concepto")
    return key_of(ctx, FUELS, permiso.ClaveHYP)


@rule("CFDI40999:HYP-ClaveHYP-L_CNE", at=f"{AT}/@ClaveHYP", source=ANEXO_29, needs=(DataRequirement.PERMITS,))
def fuel_is_one_of_the_permit(permiso: HidroYPetro, ctx: EvaluationContext) -> RuleResult:
    """Nothing to say about an unknown permit."""
    listed = ctx.reference_data.permits
    found = listed.permit(permiso.NumeroPermiso) if listed is not None else None
    if found is None or permiso.ClaveHYP in found.fuels:
        return None
    allowed = ctx.disclose(" o ".join(sorted(found.fuels))) or "un combustible autorizado"
    return Violation(found=permiso.ClaveHYP, expected=f"{allowed}, por el permiso {permiso.NumeroPermiso}")


@rule(
    "CCHYP110",
    at=f"{AT}/@SubProductoHYP",
    columns=((FUELS, SUB_PRODUCTS),),
    reads=("ClaveHYP", "SubProductoHYP"),
)
def sub_product_is_one_of_the_fuel(permiso: HidroYPetro, ctx: EvaluationContext) -> RuleResult:
    """Nothing to say about an unknown fuel."""
    row = ctx.row(FUELS, permiso.ClaveHYP)
    if row is None or permiso.SubProductoHYP in row[SUB_PRODUCTS].split(","):
        return None
    allowed = row[SUB_PRODUCTS].replace(",", ", ")
    return Violation(found=permiso.SubProductoHYP, expected=f"alguna de {allowed}, por ClaveHYP {permiso.ClaveHYP}")


@rule(
    "CFDI40999:HYP-unit",
    at="Conceptos/Concepto/@ClaveUnidad",
    source="SAT, catálogo c_ClaveHYP",
    columns=((FUELS, UNIT),),
    reads=("ClaveProdServ", "ClaveUnidad"),
    severity=Severity.WARNING,
)
def fuel_is_sold_in_its_unit(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    """A warning: no matrix that is known has a code for it."""
    row = ctx.row(FUELS, concepto.ClaveProdServ)
    if row is None or concepto.ClaveUnidad == row[UNIT]:
        return None
    return Violation(found=concepto.ClaveUnidad, expected=f"{row[UNIT]}, por ClaveProdServ {concepto.ClaveProdServ}")
