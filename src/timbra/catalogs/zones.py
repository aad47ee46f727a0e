"""IANA time zones of the labels of c_CodigoPostal.

`Fecha` is local time of LugarExpedicion without a zone. Summer time ended in most of Mexico on 2022-10-30; the
northern border keeps the United States' dates. Sonora shares the label of the Pacific and has had no summer time
since 1998. Chihuahua changed its hours twice in 2022, and its codes have labels of other states: 830 codes near Ciudad
Juárez have the label of Matamoros with the offsets of summer and winter exchanged; Ojinaga, Coyame del Sotol and Manuel
Benavides have the label of the centre. There the municipality decides. History and rules come from the pinned `tzdata`
package, never from the machine, whose own copy may be older than the end of summer time.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

from timbra.core.bounds import Bound, BoundKind

ZONES = {
    "Tiempo del Centro": "America/Mexico_City",
    "Tiempo del Centro en Frontera": "America/Matamoros",
    "Tiempo del Noroeste": "America/Tijuana",
    "Tiempo del Pacífico": "America/Mazatlan",
    "Tiempo del Sureste": "America/Cancun",
}
"""Zone of each label in the states without a zone of their own."""

SONORA, CHIHUAHUA = "SON", "CHH"
BORDER = "Tiempo del Centro en Frontera"
OJINAGA = frozenset({"015", "042", "052"})
"""Municipalities of Chihuahua with the hours of Ojinaga: Coyame del Sotol, Manuel Benavides, Ojinaga."""

OWN_ZONES = ("America/Hermosillo", "America/Ciudad_Juarez", "America/Chihuahua", "America/Ojinaga")
"""Zones that no label has."""


@cache
def _zone(name: str) -> ZoneInfo:
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


def time_zone(label: str, state: str, municipality: str) -> ZoneInfo:
    """Return the time zone of a postal code.

    Args:
        label: Its time zone in c_CodigoPostal.
        state: Its key of c_Estado.
        municipality: Its key of c_Municipio; empty when the catalog has none.

    Raises:
        KeyError: The label is unknown.

    Source: Ley de los Husos Horarios en los Estados Unidos Mexicanos (DOF 2022-10-28) and its reform for the northern
    municipalities of Chihuahua, as the `tzdata` package records them.
    """
    zone = ZONES[label]
    if state == SONORA and label == "Tiempo del Pacífico":
        zone = "America/Hermosillo"
    elif state == CHIHUAHUA:
        zone = _zone_in_chihuahua(label, municipality)
    return _zone(zone)


def _zone_in_chihuahua(label: str, municipality: str) -> str:
    if label == BORDER:
        return "America/Ciudad_Juarez"
    return "America/Ojinaga" if municipality in OJINAGA else "America/Chihuahua"


BOUNDS = (Bound("_zone", BoundKind.CACHE, "the time zones of the catalogs", "There are no further names."),)
