"""Origins, destinations and stations: CP128 to CP142.

In a shipment by road and by another means of transport, a location without NumEstacion is reached by road.
"""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.cartaporte31 import CartaPorte, Ubicacion
from timbra.cfdi.rfc import FOREIGN, NATIONAL
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cartaporte31.envio import DESTINATION, ORIGIN, envio_of, is_by_land, is_by_rail, is_by_sea
from timbra.rules.rulesets.cartaporte31.predicates import TAXPAYERS, is_foreign_country_exactly_with
from timbra.rules.shared.predicates import absent, is_absent, is_registered, key_of
from timbra.rules.shared.presence import is_present, is_present_exactly_if, present

DESTINATIONS_BY_RAIL = 5
"""Smallest number of destinations by rail."""
INTERMEDIATE = "02"
"""Key of c_TipoEstacion for an intermediate station."""
CATALOG: Final = "cartaporte31:c_Estaciones"
ABROAD: Final = "Extranjera"
"""Description in c_Estaciones of the stations of other countries."""
LONGEST_NAME: Final = 50
"""Maximum length of NombreEstacion in the SAT's schema."""
TRANSPORTS, NAMES = ((CATALOG, "clave_transporte"),), ((CATALOG, "descripcion"),)


def is_by_road_sea_or_air(carta: CartaPorte, ctx: EvaluationContext) -> bool:
    envio = envio_of(carta, ctx)
    return envio.by_road or envio.by_sea or envio.by_air


def has_own_rfc(ubicacion: Ubicacion, _ctx: EvaluationContext) -> bool:
    return ubicacion.RFCRemitenteDestinatario not in (NATIONAL, FOREIGN)


def is_generic_foreign(ubicacion: Ubicacion, _ctx: EvaluationContext) -> bool:
    return ubicacion.RFCRemitenteDestinatario == FOREIGN


def is_divided(ubicacion: Ubicacion, ctx: EvaluationContext) -> bool:
    """Whether goods of the shipment have CantidadTransporta."""
    return envio_of(ubicacion, ctx).is_divided


def is_destination_by_land(ubicacion: Ubicacion, ctx: EvaluationContext) -> bool:
    return ubicacion.TipoUbicacion == DESTINATION and is_by_land(ubicacion, ctx)


def is_no_intermediate_station(ubicacion: Ubicacion, ctx: EvaluationContext) -> bool:
    return ubicacion.TipoEstacion != INTERMEDIATE or not is_by_rail(ubicacion, ctx)


def _count(carta: CartaPorte, tipo: str) -> int:
    return sum(place.TipoUbicacion == tipo for place in carta.ubicaciones)


@rule(
    "CP128",
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion",
    says="Con TransporteFerroviario debe haber al menos una ubicación de tipo Origen.",
    applies=is_by_rail,
)
def has_origin(carta: CartaPorte, _ctx: EvaluationContext) -> RuleResult:
    return None if _count(carta, ORIGIN) else Violation(expected="al menos una ubicación de tipo Origen")


@rule(
    "CP129",
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion",
    says="Con TransporteFerroviario debe haber al menos cinco ubicaciones de tipo Destino.",
    applies=is_by_rail,
)
def has_five_destinations(carta: CartaPorte, _ctx: EvaluationContext) -> RuleResult:
    count = _count(carta, DESTINATION)
    if count >= DESTINATIONS_BY_RAIL:
        return None
    expected = f"al menos {DESTINATIONS_BY_RAIL} ubicaciones de tipo Destino, por TransporteFerroviario"
    return Violation(found=f"{count} de tipo Destino", expected=expected)


@rule(
    "CP130",
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion",
    says="Debe haber al menos dos ubicaciones: una de tipo Origen y una de tipo Destino.",
    applies=is_by_road_sea_or_air,
)
def has_origin_and_destination(carta: CartaPorte, _ctx: EvaluationContext) -> RuleResult:
    if _count(carta, ORIGIN) and _count(carta, DESTINATION):
        return None
    found = f"{_count(carta, ORIGIN)} de tipo Origen, {_count(carta, DESTINATION)} de tipo Destino"
    return Violation(found=found, expected="al menos una ubicación de cada tipo")


CP131 = row(
    "CP131",
    Ubicacion,
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion/@IDUbicacion",
    says="Con CantidadTransporta, cada ubicación debe llevar IDUbicacion.",
    check=is_present("IDUbicacion", "el identificador de la ubicación, por CantidadTransporta"),
    applies=is_divided,
)


CP132 = row(
    "CP132",
    Ubicacion,
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion/@RFCRemitenteDestinatario",
    says=("RFCRemitenteDestinatario debe ser genérico o estar en la lista de RFC inscritos y no cancelados."),
    check=is_registered("RFCRemitenteDestinatario"),
    applies=has_own_rfc,
    needs=TAXPAYERS,
)


CP133 = row(
    "CP133",
    Ubicacion,
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion/@NumRegIdTrib",
    says="NumRegIdTrib de la ubicación debe existir solo con el RFC genérico extranjero.",
    check=is_present_exactly_if(
        "NumRegIdTrib",
        is_generic_foreign,
        expected=f"el registro tributario, por el RFC {FOREIGN}",
        otherwise="con el RFC {node.RFCRemitenteDestinatario}",
    ),
)


CP134 = row(
    "CP134",
    Ubicacion,
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion/@ResidenciaFiscal",
    says=("ResidenciaFiscal de la ubicación debe existir solo con NumRegIdTrib y ser un país distinto de MEX."),
    check=is_foreign_country_exactly_with("ResidenciaFiscal", "NumRegIdTrib"),
)


CP139 = row(
    "CP139",
    Ubicacion,
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion/@NavegacionTrafico",
    says="NavegacionTrafico debe existir solo con TransporteMaritimo.",
    check=is_present_exactly_if(
        "NavegacionTrafico",
        is_by_sea,
        expected="Altura o Cabotaje, por TransporteMaritimo",
        otherwise="sin TransporteMaritimo",
    ),
)


CP141 = row(
    "CP141",
    Ubicacion,
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion/@DistanciaRecorrida",
    says="DistanciaRecorrida debe existir solo en destinos de Autotransporte o TransporteFerroviario.",
    check=is_present_exactly_if(
        "DistanciaRecorrida",
        is_destination_by_land,
        expected="la distancia, por ser destino de Autotransporte o TransporteFerroviario",
        otherwise="fuera de los destinos de Autotransporte y TransporteFerroviario",
    ),
)


CP142 = row(
    "CP142",
    Ubicacion,
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion/Domicilio",
    says="La ubicación debe llevar Domicilio, salvo en una estación intermedia de ferrocarril.",
    check=is_present_exactly_if(
        "domicilio",
        is_no_intermediate_station,
        expected="el domicilio de la ubicación",
        otherwise="en una estación intermedia de ferrocarril",
        element="Domicilio",
    ),
)


def is_reached_by_road(ubicacion: Ubicacion, ctx: EvaluationContext) -> bool:
    """Whether the location has no station because it is reached by road only."""
    envio = envio_of(ubicacion, ctx)
    return not envio.station_keys or (envio.by_road and ubicacion.NumEstacion is None)


def is_station(ubicacion: Ubicacion, ctx: EvaluationContext) -> bool:
    return not is_reached_by_road(ubicacion, ctx)


def is_by_road_only(ubicacion: Ubicacion, ctx: EvaluationContext) -> bool:
    envio = envio_of(ubicacion, ctx)
    return envio.by_road and not envio.station_keys


def _description(ubicacion: Ubicacion, ctx: EvaluationContext) -> str | None:
    row = ctx.row(CATALOG, ubicacion.NumEstacion) if ubicacion.NumEstacion is not None else None
    return None if row is None else row["descripcion"]


def _normalized(name: str) -> str:
    """Return the name as the schema accepts it: with single spaces, truncated at the maximum length."""
    return " ".join(name.split())[:LONGEST_NAME].rstrip()


CP135 = row(
    "CP135",
    Ubicacion,
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion/@NumEstacion",
    says="Con Autotransporte, NumEstacion no debe existir.",
    check=is_absent("NumEstacion", "con Autotransporte"),
    applies=is_by_road_only,
)


@rule(
    "CP136",
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion/@NumEstacion",
    says="NumEstacion debe ser una clave vigente de c_Estaciones del tipo de transporte.",
    applies=is_station,
    columns=TRANSPORTS,
)
def has_station_of_transport(ubicacion: Ubicacion, ctx: EvaluationContext) -> RuleResult:
    transports = envio_of(ubicacion, ctx).station_keys
    row = ctx.row(CATALOG, ubicacion.NumEstacion) if ubicacion.NumEstacion is not None else None
    if row is not None and row["clave_transporte"] in transports:
        return None
    expected = f"una clave de c_Estaciones del transporte {' o '.join(sorted(transports))}"
    return Violation(found=ubicacion.NumEstacion, expected=expected)


@rule(
    "CP137",
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion/@NombreEstacion",
    says="NombreEstacion debe existir solo con NumEstacion y ser el nombre de esa estación.",
    columns=NAMES,
)
def station_name_equals_catalog_name(ubicacion: Ubicacion, ctx: EvaluationContext) -> RuleResult:
    found = ubicacion.NombreEstacion
    if ubicacion.NumEstacion is None:
        return absent(found, "sin NumEstacion")
    name = _description(ubicacion, ctx)
    if found is None:
        return Violation(expected=f"el nombre de la estación {ubicacion.NumEstacion}")
    if name is None or name == ABROAD or _normalized(found) == _normalized(name):
        return None
    return Violation(found=found, expected=f"{name}, el nombre de {ubicacion.NumEstacion} en c_Estaciones")


@rule(
    "CP138",
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion/@NombreEstacion",
    says="El nombre de una estación extranjera debe ser el real, no el del catálogo.",
    columns=NAMES,
)
def foreign_station_has_real_name(ubicacion: Ubicacion, ctx: EvaluationContext) -> RuleResult:
    if ubicacion.NombreEstacion != ABROAD or _description(ubicacion, ctx) != ABROAD:
        return None
    return Violation(found=ABROAD, expected="el nombre real de la estación extranjera")


@rule(
    "CP140",
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion/@TipoEstacion",
    says=("TipoEstacion debe ser una clave de c_TipoEstacion; no existe en carretera ni en estaciones extranjeras."),
    columns=NAMES,
)
def has_station_type_exactly_at_stations(ubicacion: Ubicacion, ctx: EvaluationContext) -> RuleResult:
    found = ubicacion.TipoEstacion
    if _description(ubicacion, ctx) == ABROAD:
        return absent(found, "en una estación extranjera")
    if is_by_road_only(ubicacion, ctx):
        return absent(found, "con Autotransporte")
    if is_reached_by_road(ubicacion, ctx) and found is None:
        return None
    return present(found, "una clave de c_TipoEstacion") or key_of(ctx, "cartaporte31:c_TipoEstacion", found or "")
