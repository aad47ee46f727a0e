"""Mercancia: CP155 to CP158, CP167, CP168, CP170, CP171, CP177, CP181."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.cartaporte31 import Mercancia
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cartaporte31.envio import YES, is_by_air, is_by_sea, is_international
from timbra.rules.shared.conditions import absent
from timbra.rules.shared.predicates import in_catalog
from timbra.rules.shared.presence import is_key_exactly_if, is_present, is_present_exactly_if, present

GOODS: Final = "cartaporte31:c_ClaveProdServCP"
DANGER: Final = "material_peligroso"
OTHER_MATTER: Final = "05"
PARCELS: Final = frozenset({"31181701", "24112700"})
"""Keys of c_ClaveProdServ for parcels."""


def _has_parcels(comprobante: Comprobante) -> bool:
    return any(concepto.ClaveProdServ in PARCELS for concepto in comprobante.conceptos)


def has_parcels(_mercancia: Mercancia, ctx: EvaluationContext) -> bool:
    return ctx.memoize(_has_parcels)


def is_dangerous(mercancia: Mercancia, _ctx: EvaluationContext) -> bool:
    return mercancia.MaterialPeligroso == YES


def has_dangerous_key(mercancia: Mercancia, _ctx: EvaluationContext) -> bool:
    return mercancia.CveMaterialPeligroso is not None


def has_value(mercancia: Mercancia, _ctx: EvaluationContext) -> bool:
    return mercancia.ValorMercancia is not None


def is_of_other_matter(mercancia: Mercancia, _ctx: EvaluationContext) -> bool:
    return mercancia.TipoMateria == OTHER_MATTER


@rule(
    "CP155",
    at="Complemento/CartaPorte/Mercancias/Mercancia/@MaterialPeligroso",
    says="MaterialPeligroso debe corresponder a lo que c_ClaveProdServCP indica para BienesTransp.",
    note="1: es material peligroso; 0: no lo es; 0,1: el comprobante lo indica.",
    columns=((GOODS, DANGER),),
)
def has_material_peligroso_as_catalog_requires(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    found, row = mercancia.MaterialPeligroso, ctx.row(GOODS, mercancia.BienesTransp)
    if row is None:
        return None
    danger, goods = row[DANGER], mercancia.BienesTransp
    if danger == "0":
        return absent(found, f"por BienesTransp {goods}, que no es material peligroso")
    if danger == "1" and found != YES:
        return Violation(found=found, expected=f"{YES}, por BienesTransp {goods}")
    return present(found, f"Sí o No, por BienesTransp {goods}")


CP156 = row(
    "CP156",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia/@CveMaterialPeligroso",
    says=("CveMaterialPeligroso debe existir solo con MaterialPeligroso Sí y ser una clave de c_MaterialPeligroso."),
    check=is_key_exactly_if(
        "cartaporte31:c_MaterialPeligroso",
        "CveMaterialPeligroso",
        is_dangerous,
        expected="una clave de c_MaterialPeligroso",
        otherwise="sin MaterialPeligroso Sí",
    ),
)


CP157 = row(
    "CP157",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia/@Embalaje",
    says="Embalaje debe existir solo con CveMaterialPeligroso y ser una clave de c_TipoEmbalaje.",
    check=is_key_exactly_if(
        "cartaporte31:c_TipoEmbalaje",
        "Embalaje",
        has_dangerous_key,
        expected="una clave de c_TipoEmbalaje",
        otherwise="sin CveMaterialPeligroso",
    ),
)


CP158 = row(
    "CP158",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia/@SectorCOFEPRIS",
    says="SectorCOFEPRIS debe ser una clave vigente de c_SectorCOFEPRIS.",
    check=in_catalog("cartaporte31:c_SectorCOFEPRIS", "SectorCOFEPRIS"),
)


CP167 = row(
    "CP167",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia/@ValorMercancia",
    says="Con TransporteAereo, cada mercancía debe llevar ValorMercancia.",
    check=is_present("ValorMercancia", "el valor, por TransporteAereo"),
    applies=is_by_air,
)


CP168 = row(
    "CP168",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia/@Moneda",
    says="Con ValorMercancia debe existir Moneda.",
    check=is_present("Moneda", "la moneda de ValorMercancia"),
    applies=has_value,
)


CP170 = row(
    "CP170",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia/@TipoMateria",
    says="TipoMateria debe existir solo con TranspInternac Sí y ser una clave de c_TipoMateria.",
    check=is_key_exactly_if(
        "cartaporte31:c_TipoMateria",
        "TipoMateria",
        is_international,
        expected="una clave de c_TipoMateria",
        otherwise="sin TranspInternac Sí",
    ),
)


CP171 = row(
    "CP171",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia/@DescripcionMateria",
    says="DescripcionMateria debe existir solo con TipoMateria 05.",
    check=is_present_exactly_if(
        "DescripcionMateria",
        is_of_other_matter,
        expected="la descripción, por TipoMateria 05",
        otherwise="sin TipoMateria 05",
    ),
)


CP177 = row(
    "CP177",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia/GuiasIdentificacion",
    says="En el traslado de paquetes, cada mercancía debe llevar GuiasIdentificacion.",
    check=is_present("has_guias", "el nodo, por los paquetes de los conceptos", element="GuiasIdentificacion"),
    types="T",
    applies=has_parcels,
)


CP181 = row(
    "CP181",
    Mercancia,
    at="Complemento/CartaPorte/Mercancias/Mercancia/DetalleMercancia",
    says="DetalleMercancia debe existir solo con TransporteMaritimo.",
    check=is_present_exactly_if(
        "detalle",
        is_by_sea,
        expected="el nodo, por TransporteMaritimo",
        otherwise="sin TransporteMaritimo",
        element="DetalleMercancia",
    ),
)
