"""Places that goods leave and reach: CP128 to CP134, CP139, CP141, CP142."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import CartaPorte, Ubicacion
from timbra.cfdi.rfc import FOREIGN, NATIONAL
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.cartaporte31.envio import DESTINATION, ORIGIN, envio_of
from timbra.rules.rulesets.cartaporte31.verdicts import (
    TAXPAYERS,
    exactly_when,
    foreign_country,
    named,
    needed,
    registered,
)
from timbra.rules.shared.conditions import absent

AT = "Complemento/CartaPorte/Ubicaciones/Ubicacion"
STOPS_BY_RAIL = 5
INTERMEDIATE = "02"


def goes_by_rail(carta: CartaPorte, ctx: EvaluationContext) -> bool:
    return envio_of(carta, ctx).by_rail


def goes_otherwise(carta: CartaPorte, ctx: EvaluationContext) -> bool:
    envio = envio_of(carta, ctx)
    return envio.by_road or envio.by_sea or envio.by_air


def has_own_rfc(ubicacion: Ubicacion, _ctx: EvaluationContext) -> bool:
    return ubicacion.RFCRemitenteDestinatario not in (NATIONAL, FOREIGN)


def is_told_apart(ubicacion: Ubicacion, ctx: EvaluationContext) -> bool:
    return envio_of(ubicacion, ctx).is_divided


def _count(carta: CartaPorte, tipo: str) -> int:
    return sum(place.TipoUbicacion == tipo for place in carta.ubicaciones)


@rule("CP128", at=AT, applies=goes_by_rail)
def train_leaves_somewhere(carta: CartaPorte, _ctx: EvaluationContext) -> RuleResult:
    return None if _count(carta, ORIGIN) else Violation(expected="al menos una ubicación de tipo Origen")


@rule("CP129", at=AT, applies=goes_by_rail)
def train_has_its_stops(carta: CartaPorte, _ctx: EvaluationContext) -> RuleResult:
    count = _count(carta, DESTINATION)
    if count >= STOPS_BY_RAIL:
        return None
    expected = f"al menos {STOPS_BY_RAIL} ubicaciones de tipo Destino, por TransporteFerroviario"
    return Violation(found=f"{count} de tipo Destino", expected=expected)


@rule("CP130", at=AT, applies=goes_otherwise)
def goods_leave_and_arrive(carta: CartaPorte, _ctx: EvaluationContext) -> RuleResult:
    if _count(carta, ORIGIN) and _count(carta, DESTINATION):
        return None
    found = f"{_count(carta, ORIGIN)} de tipo Origen, {_count(carta, DESTINATION)} de tipo Destino"
    return Violation(found=found, expected="al menos una ubicación de cada tipo")


@rule("CP131", at=f"{AT}/@IDUbicacion", applies=is_told_apart)
def place_has_an_identity(ubicacion: Ubicacion, _ctx: EvaluationContext) -> RuleResult:
    return needed(ubicacion.IDUbicacion, "el identificador de la ubicación, por CantidadTransporta")


@rule("CP132", at=f"{AT}/@RFCRemitenteDestinatario", needs=TAXPAYERS, applies=has_own_rfc)
def sender_or_receiver_is_registered(ubicacion: Ubicacion, ctx: EvaluationContext) -> RuleResult:
    return registered(ctx, ubicacion.RFCRemitenteDestinatario)


@rule("CP133", at=f"{AT}/@NumRegIdTrib")
def foreigner_has_a_foreign_id(ubicacion: Ubicacion, _ctx: EvaluationContext) -> RuleResult:
    return exactly_when(
        ubicacion.RFCRemitenteDestinatario == FOREIGN,
        ubicacion.NumRegIdTrib,
        f"el registro tributario, por el RFC {FOREIGN}",
        f"con el RFC {ubicacion.RFCRemitenteDestinatario}",
    )


@rule("CP134", at=f"{AT}/@ResidenciaFiscal")
def foreigner_has_a_residence(ubicacion: Ubicacion, ctx: EvaluationContext) -> RuleResult:
    found = ubicacion.ResidenciaFiscal
    if ubicacion.NumRegIdTrib is None:
        return absent(found, "sin NumRegIdTrib")
    return Violation(expected="el país, por NumRegIdTrib") if found is None else foreign_country(ctx, found)


@rule("CP139", at=f"{AT}/@NavegacionTrafico")
def navigation_is_of_ships(ubicacion: Ubicacion, ctx: EvaluationContext) -> RuleResult:
    by_sea = envio_of(ubicacion, ctx).by_sea
    return exactly_when(
        by_sea, ubicacion.NavegacionTrafico, "Altura o Cabotaje, por TransporteMaritimo", "sin TransporteMaritimo"
    )


@rule("CP141", at=f"{AT}/@DistanciaRecorrida")
def destination_on_land_has_a_distance(ubicacion: Ubicacion, ctx: EvaluationContext) -> RuleResult:
    envio = envio_of(ubicacion, ctx)
    return exactly_when(
        (envio.by_road or envio.by_rail) and ubicacion.TipoUbicacion == DESTINATION,
        ubicacion.DistanciaRecorrida,
        "la distancia, por ser destino de Autotransporte o TransporteFerroviario",
        "fuera de los destinos de Autotransporte y TransporteFerroviario",
    )


@rule("CP142", at=f"{AT}/Domicilio")
def place_has_its_address(ubicacion: Ubicacion, ctx: EvaluationContext) -> RuleResult:
    between = envio_of(ubicacion, ctx).by_rail and ubicacion.TipoEstacion == INTERMEDIATE
    found = named(ubicacion.domicilio, "Domicilio")
    return exactly_when(not between, found, "el domicilio de la ubicación", "en una estación intermedia de ferrocarril")
