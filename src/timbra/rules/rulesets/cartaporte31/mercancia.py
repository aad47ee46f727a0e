"""One of the goods: CP155 to CP158, CP167, CP168, CP170, CP171, CP177, CP181."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.cartaporte31 import Mercancia
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.cartaporte31.envio import YES, envio_of
from timbra.rules.rulesets.cartaporte31.verdicts import exactly_when, listed_in, named, needed
from timbra.rules.shared.conditions import absent

AT: Final = "Complemento/CartaPorte/Mercancias/Mercancia"
GOODS: Final = "cartaporte31:c_ClaveProdServCP"
DANGER: Final = "material_peligroso"
OTHER_MATTER: Final = "05"
PARCELS: Final = frozenset({"31181701", "24112700"})
"""Products of c_ClaveProdServ in which parcels are moved."""
DANGEROUS: Final = ("MaterialPeligroso", "CveMaterialPeligroso", "Embalaje")
MATTER: Final = ("TipoMateria", "DescripcionMateria")
SECTOR: Final = ("SectorCOFEPRIS",)


def _moves_parcels(comprobante: Comprobante) -> bool:
    return any(concepto.ClaveProdServ in PARCELS for concepto in comprobante.conceptos)


def is_in_parcels(_mercancia: Mercancia, ctx: EvaluationContext) -> bool:
    return ctx.memoize(_moves_parcels)


def goes_by_air(mercancia: Mercancia, ctx: EvaluationContext) -> bool:
    return envio_of(mercancia, ctx).by_air


@rule("CP155", at=f"{AT}/@MaterialPeligroso", columns=((GOODS, DANGER),), reads=("BienesTransp", "MaterialPeligroso"))
def danger_is_told_as_the_catalog_demands(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    """1: dangerous; 0: never; 0,1: the document tells."""
    found, row = mercancia.MaterialPeligroso, ctx.row(GOODS, mercancia.BienesTransp)
    if row is None:
        return None
    danger, goods = row[DANGER], mercancia.BienesTransp
    if danger == "0":
        return absent(found, f"por BienesTransp {goods}, que no es material peligroso")
    if danger == "1" and found != YES:
        return Violation(found=found, expected=f"{YES}, por BienesTransp {goods}")
    return needed(found, f"Sí o No, por BienesTransp {goods}")


@rule("CP156", at=f"{AT}/@CveMaterialPeligroso", reads=DANGEROUS)
def dangerous_goods_have_their_key(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    found = mercancia.CveMaterialPeligroso
    if mercancia.MaterialPeligroso != YES:
        return absent(found, "sin MaterialPeligroso Sí")
    return needed(found, "una clave de c_MaterialPeligroso") or listed_in(ctx, "c_MaterialPeligroso", found)


@rule("CP157", at=f"{AT}/@Embalaje", reads=DANGEROUS)
def dangerous_goods_have_their_packing(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    found = mercancia.Embalaje
    if mercancia.CveMaterialPeligroso is None:
        return absent(found, "sin CveMaterialPeligroso")
    return needed(found, "una clave de c_TipoEmbalaje") or listed_in(ctx, "c_TipoEmbalaje", found)


@rule("CP158", at=f"{AT}/@SectorCOFEPRIS", reads=SECTOR)
def sector_is_a_key(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    return listed_in(ctx, "c_SectorCOFEPRIS", mercancia.SectorCOFEPRIS)


@rule("CP167", at=f"{AT}/@ValorMercancia", applies=goes_by_air)
def goods_in_the_air_have_a_value(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    return needed(mercancia.ValorMercancia, "el valor, por TransporteAereo")


@rule("CP168", at=f"{AT}/@Moneda")
def value_has_a_currency(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    return None if mercancia.ValorMercancia is None else needed(mercancia.Moneda, "la moneda de ValorMercancia")


@rule("CP170", at=f"{AT}/@TipoMateria")
def crossing_goods_tell_their_matter(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    found = mercancia.TipoMateria
    if not envio_of(mercancia, ctx).is_international:
        return absent(found, "sin TranspInternac Sí")
    return needed(found, "una clave de c_TipoMateria") or listed_in(ctx, "c_TipoMateria", found)


@rule("CP171", at=f"{AT}/@DescripcionMateria", reads=MATTER)
def other_matter_is_described(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    other = mercancia.TipoMateria == OTHER_MATTER
    return exactly_when(other, mercancia.DescripcionMateria, "la descripción, por TipoMateria 05", "sin TipoMateria 05")


@rule("CP177", at=f"{AT}/GuiasIdentificacion", types="T", applies=is_in_parcels)
def parcels_have_their_waybills(mercancia: Mercancia, _ctx: EvaluationContext) -> RuleResult:
    return needed(named(mercancia.has_guias, "GuiasIdentificacion"), "el nodo, por los paquetes de los conceptos")


@rule("CP181", at=f"{AT}/DetalleMercancia")
def goods_at_sea_have_their_detail(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    by_sea, found = envio_of(mercancia, ctx).by_sea, named(mercancia.detalle, "DetalleMercancia")
    return exactly_when(by_sea, found, "el nodo, por TransporteMaritimo", "sin TransporteMaritimo")
