"""IANA time zones of the labels of c_CodigoPostal.

`Fecha` is local time of LugarExpedicion without a zone. Summer time ended in most of Mexico on 2022-10-30; the
northern border keeps the United States' dates. Sonora shares the label of the Pacific and has had no summer time
since 1998. History and rules come from the pinned `tzdata` package, never from the machine, whose own copy may be older
than the end of summer time.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

ZONES = {
    "Tiempo del Centro": "America/Mexico_City",
    "Tiempo del Centro en Frontera": "America/Matamoros",
    "Tiempo del Noroeste": "America/Tijuana",
    "Tiempo del Pacífico": "America/Mazatlan",
    "Tiempo del Sureste": "America/Cancun",
}
SONORA = "SON"


@cache
def _zone(name: str) -> ZoneInfo:
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


def time_zone(label: str, state: str) -> ZoneInfo:
    """Return the time zone of a postal code.

    Args:
        label: Its time zone in c_CodigoPostal.
        state: Its key of c_Estado.

    Raises:
        KeyError: The label is unknown.
    """
    if state == SONORA and label == "Tiempo del Pacífico":
        return _zone("America/Hermosillo")
    return _zone(ZONES[label])
