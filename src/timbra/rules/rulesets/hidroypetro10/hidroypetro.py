"""Permit and fuel: CCHYP107, CCHYP108, CCHYP110, and the keys of the complement."""

from __future__ import annotations

import re
from typing import Final

from timbra.cfdi.nodes import Concepto
from timbra.cfdi.nodes.hidroypetro10 import HidroYPetro
from timbra.cfdi.structure.value_phrases import format_phrase
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Severity, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.hidroypetro10.sources import ANEXO_29_HYDROCARBONS, CATALOG_CLAVE_HYP, SCHEMA
from timbra.rules.shared.predicates import in_catalog, key_of

PERMIT_TYPES: Final = "hidroypetro10:c_TipoPermiso"
PATTERN: Final = "patron"
MIN_LENGTH, MAX_LENGTH = 15, 35
"""Lengths of NumeroPermiso in characters."""
FUELS: Final = "hidroypetro10:c_ClaveHYP"
SUB_PRODUCTS, UNIT = "subproductos", "clave_unidad"


CFDI40999_HYP_TipoPermiso = row(
    "CFDI40999:HYP-TipoPermiso",
    HidroYPetro,
    at="Conceptos/Concepto/ComplementoConcepto/HidroYPetro/@TipoPermiso",
    says="TipoPermiso debe ser una clave vigente de c_TipoPermiso.",
    check=in_catalog(PERMIT_TYPES, "TipoPermiso"),
    cites=SCHEMA,
)


@rule(
    "CFDI40999:HYP-NumeroPermiso",
    at="Conceptos/Concepto/ComplementoConcepto/HidroYPetro/@NumeroPermiso",
    says="NumeroPermiso debe tener de 15 a 35 caracteres.",
    inseparable=("CCHYP107", "CCHYP107:L_CNE"),
    cites=ANEXO_29_HYDROCARBONS,
)
def permit_number_has_valid_length(permiso: HidroYPetro, _ctx: EvaluationContext) -> RuleResult:
    number = permiso.NumeroPermiso
    if MIN_LENGTH <= len(number) <= MAX_LENGTH:
        return None
    return Violation(found=number, expected=f"de {MIN_LENGTH} a {MAX_LENGTH} caracteres")


@rule(
    "CCHYP107",
    at="Conceptos/Concepto/ComplementoConcepto/HidroYPetro/@NumeroPermiso",
    says="NumeroPermiso debe estar en la lista L_CNE y tener la forma que pide TipoPermiso.",
    note="No se evalúa con un TipoPermiso que no se conoce.",
    columns=((PERMIT_TYPES, PATTERN),),
)
def permit_number_has_format_of_type(permiso: HidroYPetro, ctx: EvaluationContext) -> RuleResult:
    row = ctx.row(PERMIT_TYPES, permiso.TipoPermiso)
    number = permiso.NumeroPermiso
    if row is None or re.fullmatch(row[PATTERN], number):
        return None
    expected = f"un permiso con la forma {format_phrase(row[PATTERN])}, por TipoPermiso {permiso.TipoPermiso}"
    return Violation(found=number, expected=expected)


@rule(
    "CCHYP107:L_CNE",
    at="Conceptos/Concepto/ComplementoConcepto/HidroYPetro/@NumeroPermiso",
    says="NumeroPermiso debe ser un permiso vigente de la lista L_CNE.",
    note="La lista solo contiene permisos vigentes.",
    needs=(DataRequirement.PERMITS,),
    cites=ANEXO_29_HYDROCARBONS,
)
def permit_is_in_force(permiso: HidroYPetro, ctx: EvaluationContext) -> RuleResult:
    listed, number = ctx.reference_data.permits, permiso.NumeroPermiso
    if listed is None or listed.permit(number) is not None:
        return None
    return Violation(found=number, expected="un permiso vigente de la lista de la Comisión Nacional de Energía (L_CNE)")


@rule(
    "CCHYP108",
    at="Conceptos/Concepto/ComplementoConcepto/HidroYPetro/@NumeroPermiso",
    says="NumeroPermiso debe ser de un permiso del emisor, según la lista L_CNE.",
    note="No se evalúa con un permiso que no se conoce.",
    needs=(DataRequirement.PERMITS,),
)
def permit_is_of_issuer(permiso: HidroYPetro, ctx: EvaluationContext) -> RuleResult:
    listed, rfc = ctx.reference_data.permits, ctx.comprobante.emisor.Rfc
    found = listed.permit(permiso.NumeroPermiso) if listed is not None else None
    if found is None or found.rfc == rfc:
        return None
    return Violation(found=permiso.NumeroPermiso, expected=f"un permiso del emisor {rfc}")


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
