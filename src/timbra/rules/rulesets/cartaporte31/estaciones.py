"""Stations of ships, aircraft and trains: CP135 to CP138, CP140.

In a shipment by road and another way, places without NumEstacion are those of the road.
"""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.cartaporte31 import Ubicacion
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.cartaporte31.envio import envio_of
from timbra.rules.rulesets.cartaporte31.ubicaciones import AT
from timbra.rules.rulesets.cartaporte31.verdicts import needed
from timbra.rules.shared.conditions import absent, key_of

CATALOG: Final = "cartaporte31:c_Estaciones"
ABROAD: Final = "Extranjera"
"""What c_Estaciones calls the stations of other countries."""
LONGEST_NAME: Final = 50
WAYS, NAMES = ((CATALOG, "clave_transporte"),), ((CATALOG, "descripcion"),)


def is_of_the_road(ubicacion: Ubicacion, ctx: EvaluationContext) -> bool:
    """Whether nothing but the road leads there."""
    envio = envio_of(ubicacion, ctx)
    return not envio.station_keys or (envio.by_road and ubicacion.NumEstacion is None)


def is_of_stations(ubicacion: Ubicacion, ctx: EvaluationContext) -> bool:
    return not is_of_the_road(ubicacion, ctx)


def is_on_the_road_alone(ubicacion: Ubicacion, ctx: EvaluationContext) -> bool:
    envio = envio_of(ubicacion, ctx)
    return envio.by_road and not envio.station_keys


def _description(ubicacion: Ubicacion, ctx: EvaluationContext) -> str | None:
    row = ctx.row(CATALOG, ubicacion.NumEstacion) if ubicacion.NumEstacion is not None else None
    return None if row is None else row["descripcion"]


def _plain(name: str) -> str:
    """The name as a schema reads it, with single spaces, cut where the schema has no room for more."""
    return " ".join(name.split())[:LONGEST_NAME].rstrip()


@rule("CP135", at=f"{AT}/@NumEstacion", applies=is_on_the_road_alone)
def autotransporte_has_no_stations(ubicacion: Ubicacion, _ctx: EvaluationContext) -> RuleResult:
    return absent(ubicacion.NumEstacion, "con Autotransporte")


@rule("CP136", at=f"{AT}/@NumEstacion", applies=is_of_stations, columns=WAYS)
def station_is_of_the_way(ubicacion: Ubicacion, ctx: EvaluationContext) -> RuleResult:
    ways = envio_of(ubicacion, ctx).station_keys
    row = ctx.row(CATALOG, ubicacion.NumEstacion) if ubicacion.NumEstacion is not None else None
    if row is not None and row["clave_transporte"] in ways:
        return None
    expected = f"una clave de c_Estaciones del transporte {' o '.join(sorted(ways))}"
    return Violation(found=ubicacion.NumEstacion, expected=expected)


@rule("CP137", at=f"{AT}/@NombreEstacion", columns=NAMES)
def station_has_its_name(ubicacion: Ubicacion, ctx: EvaluationContext) -> RuleResult:
    found = ubicacion.NombreEstacion
    if ubicacion.NumEstacion is None:
        return absent(found, "sin NumEstacion")
    name = _description(ubicacion, ctx)
    if found is None:
        return Violation(expected=f"el nombre de la estación {ubicacion.NumEstacion}")
    if name is None or name == ABROAD or _plain(found) == _plain(name):
        return None
    return Violation(found=found, expected=f"{name}, el nombre de {ubicacion.NumEstacion} en c_Estaciones")


@rule("CP138", at=f"{AT}/@NombreEstacion", columns=NAMES)
def foreign_station_has_its_own_name(ubicacion: Ubicacion, ctx: EvaluationContext) -> RuleResult:
    if ubicacion.NombreEstacion != ABROAD or _description(ubicacion, ctx) != ABROAD:
        return None
    return Violation(found=ABROAD, expected="el nombre real de la estación extranjera")


@rule("CP140", at=f"{AT}/@TipoEstacion", columns=NAMES)
def station_has_its_kind(ubicacion: Ubicacion, ctx: EvaluationContext) -> RuleResult:
    found = ubicacion.TipoEstacion
    if _description(ubicacion, ctx) == ABROAD:
        return absent(found, "en una estación extranjera")
    if is_on_the_road_alone(ubicacion, ctx):
        return absent(found, "con Autotransporte")
    if is_of_the_road(ubicacion, ctx) and found is None:
        return None
    return needed(found, "una clave de c_TipoEstacion") or key_of(ctx, "cartaporte31:c_TipoEstacion", found or "")
