"""By road: CP182 to CP184."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import Autotransporte
from timbra.rules.cartaporte31.envio import envio_of
from timbra.rules.cartaporte31.verdicts import exactly_when, named, needed
from timbra.rules.case import Case
from timbra.rules.conditions import absent
from timbra.rules.finding import Verdict
from timbra.rules.rule import rule

AT = "Complemento/CartaPorte/Mercancias/Autotransporte"
CATALOG = "cartaporte31:c_ConfigAutotransporte"


@rule("CP182", at=f"{AT}/Seguros/@AseguraMedAmbiente")
def danger_is_insured(auto: Autotransporte, case: Case) -> Verdict:
    return exactly_when(
        envio_of(auto, case).is_dangerous,
        auto.AseguraMedAmbiente,
        "la aseguradora de daños al medio ambiente, por MaterialPeligroso Sí",
        "sin mercancías con MaterialPeligroso Sí",
    )


@rule("CP183", at=f"{AT}/Seguros/@PolizaMedAmbiente")
def insurer_of_danger_has_a_policy(auto: Autotransporte, _case: Case) -> Verdict:
    insured = auto.AseguraMedAmbiente is not None
    return exactly_when(insured, auto.PolizaMedAmbiente, "la póliza de AseguraMedAmbiente", "sin AseguraMedAmbiente")


@rule("CP184", at=f"{AT}/Remolques", columns=((CATALOG, "remolque"),))
def trailers_are_those_of_the_vehicle(auto: Autotransporte, case: Case) -> Verdict:
    """1: required; 0: forbidden; 0,1: as it comes."""
    row = case.row(CATALOG, auto.ConfigVehicular)
    trailers = row["remolque"] if row is not None else ""
    found, why = named(auto.has_remolques, "Remolques"), f"ConfigVehicular {auto.ConfigVehicular}"
    if trailers == "1":
        return needed(found, f"el nodo, por {why}")
    return absent(found, f"con {why}") if trailers == "0" else None
