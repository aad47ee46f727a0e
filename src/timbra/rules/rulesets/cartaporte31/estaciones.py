"""Stations of ships, aircraft and trains: CP135 to CP138, CP140.

In a shipment by road and by another means of transport, a location without NumEstacion is reached by road.
"""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.cartaporte31 import Ubicacion
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cartaporte31.envio import envio_of
from timbra.rules.shared.conditions import absent, key_of
from timbra.rules.shared.predicates import is_absent
from timbra.rules.shared.presence import present

CATALOG: Final = "cartaporte31:c_Estaciones"
ABROAD: Final = "Extranjera"
"""Description in c_Estaciones of the stations of other countries."""
LONGEST_NAME: Final = 50
"""Maximum length of NombreEstacion in the SAT's schema."""
TRANSPORTS, NAMES = ((CATALOG, "clave_transporte"),), ((CATALOG, "descripcion"),)


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
