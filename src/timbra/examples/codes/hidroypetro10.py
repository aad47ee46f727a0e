"""Permits for the examples of rules of Hidrocarburos y Petrolíferos 1.0."""

from __future__ import annotations

from timbra.examples.comprobante import KEMPER, ROBOTICA
from timbra.examples.hidroypetro10 import PERMIT, PREMIUM
from timbra.examples.lists import FuelPermit, FuelPermits

CONCEPTO = "Conceptos/Concepto"
COMPLEMENT = f"{CONCEPTO}/ComplementoConcepto/HidroYPetro"
PERMIT_OF_OTHER_ISSUER = "PL/54321/EXP/ES/2015"
"""Permit of another issuer in `PERMITS`."""
PERMIT_OF_DIESEL = "PL/11111/EXP/ES/2015"
"""Permit for diesel only in `PERMITS`."""


PERMITS = FuelPermits(
    {
        PERMIT: FuelPermit(KEMPER.rfc, frozenset({PREMIUM, "15101514"})),
        PERMIT_OF_OTHER_ISSUER: FuelPermit(ROBOTICA.rfc, frozenset({PREMIUM})),
        PERMIT_OF_DIESEL: FuelPermit(KEMPER.rfc, frozenset({"15101505"})),
    }
)
"""The permits of the examples."""
