"""By road: CP182 to CP184."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import Autotransporte
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.cartaporte31.envio import envio_of
from timbra.rules.rulesets.cartaporte31.verdicts import exactly_when, named, needed
from timbra.rules.shared.conditions import absent

AT = "Complemento/CartaPorte/Mercancias/Autotransporte"
CATALOG = "cartaporte31:c_ConfigAutotransporte"


@rule("CP182", at=f"{AT}/Seguros/@AseguraMedAmbiente")
def danger_is_insured(auto: Autotransporte, ctx: EvaluationContext) -> RuleResult:
    return exactly_when(
        envio_of(auto, ctx).is_dangerous,
        auto.AseguraMedAmbiente,
        "la aseguradora de daños al medio ambiente, por MaterialPeligroso Sí",
        "sin mercancías con MaterialPeligroso Sí",
    )


@rule("CP183", at=f"{AT}/Seguros/@PolizaMedAmbiente")
def insurer_of_danger_has_a_policy(auto: Autotransporte, _ctx: EvaluationContext) -> RuleResult:
    insured = auto.AseguraMedAmbiente is not None
    return exactly_when(insured, auto.PolizaMedAmbiente, "la póliza de AseguraMedAmbiente", "sin AseguraMedAmbiente")


@rule("CP184", at=f"{AT}/Remolques", columns=((CATALOG, "remolque"),))
def trailers_are_those_of_the_vehicle(auto: Autotransporte, ctx: EvaluationContext) -> RuleResult:
    """1: required; 0: forbidden; 0,1: as it comes."""
    row = ctx.row(CATALOG, auto.ConfigVehicular)
    trailers = row["remolque"] if row is not None else ""
    found, why = named(auto.has_remolques, "Remolques"), f"ConfigVehicular {auto.ConfigVehicular}"
    if trailers == "1":
        return needed(found, f"el nodo, por {why}")
    return absent(found, f"con {why}") if trailers == "0" else None
