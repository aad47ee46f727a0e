"""How much goes from where to where: CP178 to CP180."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import CantidadTransporta
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.cartaporte31.envio import envio_of
from timbra.rules.rulesets.cartaporte31.verdicts import listed_in, needed
from timbra.rules.shared.conditions import absent

AT = "Complemento/CartaPorte/Mercancias/Mercancia/CantidadTransporta"


@rule("CP178", at=f"{AT}/@IDOrigen")
def it_leaves_a_place_of_the_shipment(cantidad: CantidadTransporta, ctx: EvaluationContext) -> RuleResult:
    if cantidad.IDOrigen in envio_of(cantidad, ctx).origins:
        return None
    return Violation(found=cantidad.IDOrigen, expected="el IDUbicacion de una ubicación de tipo Origen")


@rule("CP179", at=f"{AT}/@IDDestino")
def it_reaches_a_place_of_the_shipment(cantidad: CantidadTransporta, ctx: EvaluationContext) -> RuleResult:
    if cantidad.IDDestino in envio_of(cantidad, ctx).destinations:
        return None
    return Violation(found=cantidad.IDDestino, expected="el IDUbicacion de una ubicación de tipo Destino")


@rule("CP180", at=f"{AT}/@CvesTransporte")
def it_tells_its_way_among_several(cantidad: CantidadTransporta, ctx: EvaluationContext) -> RuleResult:
    found = cantidad.CvesTransporte
    if len(envio_of(cantidad, ctx).transportes) < 2:
        return absent(found, "con un solo nodo de transporte")
    return needed(found, "una clave de c_CveTransporte") or listed_in(ctx, "c_CveTransporte", found)
