"""Mercancias, each Mercancia and its quantities: CP148 to CP158, CP167, CP168, CP170, CP171, CP177 to CP181."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.cartaporte31 import CantidadTransporta, Mercancia, Mercancias
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cartaporte31.envio import (
    YES,
    envio_of,
    has_several_transports,
    is_by_air,
    is_by_rail,
    is_by_road,
    is_by_sea,
    is_international,
)
from timbra.rules.shared.predicates import absent, in_catalog
from timbra.rules.shared.presence import is_absent_unless, is_key_exactly_if, is_present, is_present_exactly_if, present

TRANSPORTS = "Autotransporte, TransporteMaritimo, TransporteAereo o TransporteFerroviario"
GOODS: Final = "cartaporte31:c_ClaveProdServCP"
DANGER: Final = "material_peligroso"
OTHER_MATTER: Final = "05"
PARCELS: Final = frozenset({"31181701", "24112700"})
"""Keys of c_ClaveProdServ for parcels."""


def is_by_road_air_or_rail(mercancias: Mercancias, ctx: EvaluationContext) -> bool:
    envio = envio_of(mercancias, ctx)
    return envio.by_road or envio.by_air or envio.by_rail


def _equals_sum(found: str | None, value: Decimal, total: Decimal, of: str) -> RuleResult:
    """Check that an attribute is present and equals the sum, without tolerance."""
    if found is not None and value == total:
        return None
    return Violation(found=found, expected=f"{total:f}, de la suma de {of}")


@rule(
    "CP148",
    at="Complemento/CartaPorte/Mercancias",
    says="Mercancias debe llevar al menos una Mercancia y al menos un nodo de transporte.",
)
def has_goods_and_transport(mercancias: Mercancias, ctx: EvaluationContext) -> RuleResult:
    if mercancias.filas and envio_of(mercancias, ctx).transportes:
        return None
    return Violation(expected=f"al menos una Mercancia, y un nodo {TRANSPORTS}")


@rule(
    "CP149",
    at="Complemento/CartaPorte/Mercancias/@PesoBrutoTotal",
    says="PesoBrutoTotal debe ser la suma de PesoEnKg de las mercancías.",
    applies=is_by_road_air_or_rail,
)
def gross_weight_equals_sum_of_goods(mercancias: Mercancias, _ctx: EvaluationContext) -> RuleResult:
    total = sum([row.peso for row in mercancias.filas], ZERO)
    return _equals_sum(mercancias.PesoBrutoTotal, mercancias.bruto, total, "PesoEnKg de las mercancías")


@rule(
    "CP150",
    at="Complemento/CartaPorte/Mercancias/@PesoBrutoTotal",
    says="Con TransporteMaritimo, PesoBrutoTotal debe ser la suma de PesoBruto de DetalleMercancia.",
    applies=is_by_sea,
)
def gross_weight_equals_sum_of_details(mercancias: Mercancias, _ctx: EvaluationContext) -> RuleResult:
    total = sum([row.detalle.bruto for row in mercancias.filas if row.detalle is not None], ZERO)
    return _equals_sum(mercancias.PesoBrutoTotal, mercancias.bruto, total, "PesoBruto de DetalleMercancia")


@rule(
    "CP151",
    at="Complemento/CartaPorte/Mercancias/@PesoNetoTotal",
    says="Con TransporteMaritimo, PesoNetoTotal debe ser la suma de PesoNeto de DetalleMercancia.",
    applies=is_by_sea,
)
def net_weight_equals_sum_of_details(mercancias: Mercancias, _ctx: EvaluationContext) -> RuleResult:
    total = sum([row.detalle.neto for row in mercancias.filas if row.detalle is not None], ZERO)
    return _equals_sum(mercancias.PesoNetoTotal, mercancias.neto, total, "PesoNeto de DetalleMercancia")


@rule(
    "CP152",
    at="Complemento/CartaPorte/Mercancias/@PesoNetoTotal",
    says="Con TransporteFerroviario, PesoNetoTotal debe ser la suma de ToneladasNetasCarro.",
    applies=is_by_rail,
)
def net_weight_equals_sum_of_cars(mercancias: Mercancias, _ctx: EvaluationContext) -> RuleResult:
    tren = mercancias.ferroviario
    total = sum([carro.toneladas for carro in tren.carros], ZERO) if tren is not None else ZERO
    return _equals_sum(mercancias.PesoNetoTotal, mercancias.neto, total, "ToneladasNetasCarro de los carros")


CP153 = row(
    "CP153",
    Mercancias,
    at="Complemento/CartaPorte/Mercancias/@LogisticaInversaRecoleccionDevolucion",
    says="LogisticaInversaRecoleccionDevolucion solo puede existir con Autotransporte.",
    check=is_absent_unless("LogisticaInversaRecoleccionDevolucion", is_by_road, "sin Autotransporte"),
)


@rule(
    "CP154",
    at="Complemento/CartaPorte/Mercancias/@NumTotalMercancias",
    says="NumTotalMercancias debe ser el número de nodos Mercancia.",
)
def number_of_goods_equals_count(mercancias: Mercancias, _ctx: EvaluationContext) -> RuleResult:
    return _equals_sum(
        mercancias.NumTotalMercancias, mercancias.cuantas, Decimal(len(mercancias.filas)), "las mercancías"
    )


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


@rule(
    "CP178",
    at="Complemento/CartaPorte/Mercancias/Mercancia/CantidadTransporta/@IDOrigen",
    says="IDOrigen debe ser el IDUbicacion de una ubicación de tipo Origen.",
)
def origin_is_location_of_type_origen(cantidad: CantidadTransporta, ctx: EvaluationContext) -> RuleResult:
    if cantidad.IDOrigen in envio_of(cantidad, ctx).origins:
        return None
    return Violation(found=cantidad.IDOrigen, expected="el IDUbicacion de una ubicación de tipo Origen")


@rule(
    "CP179",
    at="Complemento/CartaPorte/Mercancias/Mercancia/CantidadTransporta/@IDDestino",
    says="IDDestino debe ser el IDUbicacion de una ubicación de tipo Destino.",
)
def destination_is_location_of_type_destino(cantidad: CantidadTransporta, ctx: EvaluationContext) -> RuleResult:
    if cantidad.IDDestino in envio_of(cantidad, ctx).destinations:
        return None
    return Violation(found=cantidad.IDDestino, expected="el IDUbicacion de una ubicación de tipo Destino")


CP180 = row(
    "CP180",
    CantidadTransporta,
    at="Complemento/CartaPorte/Mercancias/Mercancia/CantidadTransporta/@CvesTransporte",
    says=("CvesTransporte debe existir solo con más de un nodo de transporte y ser una clave de c_CveTransporte."),
    check=is_key_exactly_if(
        "cartaporte31:c_CveTransporte",
        "CvesTransporte",
        has_several_transports,
        expected="una clave de c_CveTransporte",
        otherwise="con un solo nodo de transporte",
    ),
)
