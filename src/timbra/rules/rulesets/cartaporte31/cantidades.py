"""Quantities between origins and destinations: CP178 to CP180."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import CantidadTransporta
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cartaporte31.envio import envio_of, has_several_transports
from timbra.rules.shared.presence import is_key_exactly_if


@rule(
    "CP178",
    at="Complemento/CartaPorte/Mercancias/Mercancia/CantidadTransporta/@IDOrigen",
    says="IDOrigen debe ser el IDUbicacion de una ubicación de tipo Origen.",
)
def origin_is_location_of_type_origen(cantidad: CantidadTransporta, ctx: EvaluationContext) -> RuleResult:
    if cantidad.IDOrigen in envio_of(cantidad, ctx).origins:
        return None
    return Violation(found=cantidad.IDOrigen, expected="el IDUbicacion de una ubicación de tipo Origen")


@rule(
    "CP179",
    at="Complemento/CartaPorte/Mercancias/Mercancia/CantidadTransporta/@IDDestino",
    says="IDDestino debe ser el IDUbicacion de una ubicación de tipo Destino.",
)
def destination_is_location_of_type_destino(cantidad: CantidadTransporta, ctx: EvaluationContext) -> RuleResult:
    if cantidad.IDDestino in envio_of(cantidad, ctx).destinations:
        return None
    return Violation(found=cantidad.IDDestino, expected="el IDUbicacion de una ubicación de tipo Destino")


CP180 = row(
    "CP180",
    CantidadTransporta,
    at="Complemento/CartaPorte/Mercancias/Mercancia/CantidadTransporta/@CvesTransporte",
    says=("CvesTransporte debe existir solo con más de un nodo de transporte y ser una clave de c_CveTransporte."),
    check=is_key_exactly_if(
        "cartaporte31:c_CveTransporte",
        "CvesTransporte",
        has_several_transports,
        expected="una clave de c_CveTransporte",
        otherwise="con un solo nodo de transporte",
    ),
)
