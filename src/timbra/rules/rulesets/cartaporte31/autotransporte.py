"""Autotransporte: CP182 to CP184."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import Autotransporte
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cartaporte31.envio import has_dangerous_goods
from timbra.rules.shared.conditions import absent
from timbra.rules.shared.presence import element_name, is_present_exactly_if, present

CATALOG = "cartaporte31:c_ConfigAutotransporte"


def has_environmental_insurer(auto: Autotransporte, _ctx: EvaluationContext) -> bool:
    return auto.AseguraMedAmbiente is not None


CP182 = row(
    "CP182",
    Autotransporte,
    at="Complemento/CartaPorte/Mercancias/Autotransporte/Seguros/@AseguraMedAmbiente",
    says="AseguraMedAmbiente debe existir solo si alguna mercancía es material peligroso.",
    check=is_present_exactly_if(
        "AseguraMedAmbiente",
        has_dangerous_goods,
        expected="la aseguradora de daños al medio ambiente, por MaterialPeligroso Sí",
        otherwise="sin mercancías con MaterialPeligroso Sí",
    ),
)


CP183 = row(
    "CP183",
    Autotransporte,
    at="Complemento/CartaPorte/Mercancias/Autotransporte/Seguros/@PolizaMedAmbiente",
    says="PolizaMedAmbiente debe existir solo con AseguraMedAmbiente.",
    check=is_present_exactly_if(
        "PolizaMedAmbiente",
        has_environmental_insurer,
        expected="la póliza de AseguraMedAmbiente",
        otherwise="sin AseguraMedAmbiente",
    ),
)


@rule(
    "CP184",
    at="Complemento/CartaPorte/Mercancias/Autotransporte/Remolques",
    says="Remolques debe corresponder a lo que c_ConfigAutotransporte indica para ConfigVehicular.",
    note="1: obligatorio; 0: prohibido; 0,1: opcional.",
    columns=((CATALOG, "remolque"),),
)
def has_trailers_as_vehicle_requires(auto: Autotransporte, ctx: EvaluationContext) -> RuleResult:
    row = ctx.row(CATALOG, auto.ConfigVehicular)
    trailers = row["remolque"] if row is not None else ""
    found, why = element_name(auto.has_remolques, "Remolques"), f"ConfigVehicular {auto.ConfigVehicular}"
    if trailers == "1":
        return present(found, f"el nodo, por {why}")
    return absent(found, f"con {why}") if trailers == "0" else None
