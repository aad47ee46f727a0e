"""Catalogs of fuels and hydrocarbons, and fuel permits, for the in-memory reference data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from timbra.examples import KEMPER, ROBOTICA
from timbra.examples.codes.hidroypetro10 import PERMIT_OF_DIESEL, PERMIT_OF_OTHER_ISSUER
from timbra.examples.hidroypetro10 import PERMIT, PREMIUM

Row = Mapping[str, str]
STATION = {"patron": "PL/[0-9]{1,20}/EXP/ES/[0-9]{4}"}
DEALER = {"patron": "PL/[0-9]{1,20}/DIS/OM/[0-9]{4}"}


def fuel_catalogs() -> dict[str, dict[str, Row]]:
    """Kinds of permits, fuels, and the keys of hydrocarbon contracts, whose parents are not published."""
    return {
        "ecc12:c_ClaveTipoCombustible": {"1": {}},
        "hidroypetro10:c_TipoPermiso": {"PER01": STATION, "PER03": DEALER},
        "hidroypetro10:c_ClaveHYP": {
            PREMIUM: {"clave_unidad": "LTR", "subproductos": "SP17"},
            "15101514": {"clave_unidad": "LTR", "subproductos": "SP16"},
            "15101505": {"clave_unidad": "LTR", "subproductos": "SP18,SP19"},
        },
        "gceh10:c_Actividad": {"01": {}, "02": {}},
        "gceh10:c_SubActividad": {"001": {}, "002": {}},
        "gceh10:c_Tarea": {"0001": {}, "0002": {}},
    }


@dataclass(frozen=True)
class SmallPermit:
    """A row of L_CNE."""

    rfc: str
    fuels: frozenset[str]


PERMITS = {
    PERMIT: SmallPermit(KEMPER.rfc, frozenset({PREMIUM, "15101514"})),
    PERMIT_OF_OTHER_ISSUER: SmallPermit(ROBOTICA.rfc, frozenset({PREMIUM})),
    PERMIT_OF_DIESEL: SmallPermit(KEMPER.rfc, frozenset({"15101505"})),
}


class SmallPermits:
    """The permits that the examples name."""

    def permit(self, number: str) -> SmallPermit | None:
        return PERMITS.get(number)
