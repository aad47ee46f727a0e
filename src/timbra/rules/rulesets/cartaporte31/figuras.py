"""Figures of the transport, and addresses of locations and figures: CP143 to CP147, CP193 to CP204."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import CartaPorte, DomicilioFigura, DomicilioUbicacion, TiposFigura
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cartaporte31.envio import is_by_road
from timbra.rules.rulesets.cartaporte31.predicates import TAXPAYERS, is_foreign_country_exactly_with
from timbra.rules.shared.addresses import (
    colonia_is_of_postal_code,
    estado_is_of_country,
    has_states,
    is_in_mexico,
    localidad_is_of_state,
    municipio_is_of_state,
    postal_code_is_of_places,
)
from timbra.rules.shared.predicates import is_registered
from timbra.rules.shared.presence import is_present, is_present_exactly_if

OPERATOR, OWNER, LESSOR = "01", "02", "03"


def has_rfc(figura: TiposFigura, _ctx: EvaluationContext) -> bool:
    return figura.RFCFigura is not None


def has_no_rfc(figura: TiposFigura, _ctx: EvaluationContext) -> bool:
    return figura.RFCFigura is None


def is_operator(figura: TiposFigura, _ctx: EvaluationContext) -> bool:
    return figura.TipoFigura == OPERATOR


def is_owner_or_lessor(figura: TiposFigura, _ctx: EvaluationContext) -> bool:
    return figura.TipoFigura in (OWNER, LESSOR)


CP193 = row(
    "CP193",
    CartaPorte,
    at="Complemento/CartaPorte/FiguraTransporte",
    says="Con Autotransporte debe existir FiguraTransporte.",
    check=is_present("has_figuras", "el nodo, por Autotransporte", element="FiguraTransporte"),
    applies=is_by_road,
)


@rule(
    "CP194",
    at="Complemento/CartaPorte/FiguraTransporte/TiposFigura/@TipoFigura",
    says="Con Autotransporte debe haber al menos una figura de TipoFigura 01.",
    note="Que exista alguna figura se revisa en CP193.",
    applies=is_by_road,
)
def has_operator(carta: CartaPorte, _ctx: EvaluationContext) -> RuleResult:
    if not carta.figuras or any(figura.TipoFigura == OPERATOR for figura in carta.figuras):
        return None
    return Violation(
        found=carta.figuras[0].TipoFigura, expected="al menos una figura 01 (operador), por Autotransporte"
    )


CP195 = row(
    "CP195",
    TiposFigura,
    at="Complemento/CartaPorte/FiguraTransporte/TiposFigura/@RFCFigura",
    says="RFCFigura debe estar en la lista de RFC inscritos y no cancelados.",
    check=is_registered("RFCFigura"),
    applies=has_rfc,
    needs=TAXPAYERS,
)


CP196 = row(
    "CP196",
    TiposFigura,
    at="Complemento/CartaPorte/FiguraTransporte/TiposFigura/@NumLicencia",
    says="NumLicencia debe existir solo con TipoFigura 01.",
    check=is_present_exactly_if(
        "NumLicencia", is_operator, expected="la licencia, por TipoFigura 01", otherwise="sin TipoFigura 01"
    ),
)


CP197 = row(
    "CP197",
    TiposFigura,
    at="Complemento/CartaPorte/FiguraTransporte/TiposFigura/@NumRegIdTribFigura",
    says="NumRegIdTribFigura debe existir solo sin RFCFigura.",
    check=is_present_exactly_if(
        "NumRegIdTribFigura",
        has_no_rfc,
        expected="el registro tributario de la figura, sin RFCFigura",
        otherwise="con RFCFigura",
    ),
)


CP198 = row(
    "CP198",
    TiposFigura,
    at="Complemento/CartaPorte/FiguraTransporte/TiposFigura/@ResidenciaFiscalFigura",
    says=("ResidenciaFiscalFigura debe existir solo con NumRegIdTribFigura y ser un país distinto de MEX."),
    check=is_foreign_country_exactly_with("ResidenciaFiscalFigura", "NumRegIdTribFigura"),
)


CP199 = row(
    "CP199",
    TiposFigura,
    at="Complemento/CartaPorte/FiguraTransporte/TiposFigura/PartesTransporte",
    says="PartesTransporte debe existir solo con TipoFigura 02 o 03.",
    check=is_present_exactly_if(
        "partes",
        is_owner_or_lessor,
        expected="el nodo, por TipoFigura {node.TipoFigura}",
        otherwise="sin TipoFigura 02 o 03",
        element="PartesTransporte",
    ),
)


CP143 = row(
    "CP143",
    DomicilioUbicacion,
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion/Domicilio/@Colonia",
    says="Colonia de la ubicación debe ser una clave de c_Colonia del código postal.",
    check=colonia_is_of_postal_code,
    applies=is_in_mexico,
)


CP144 = row(
    "CP144",
    DomicilioUbicacion,
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion/Domicilio/@Localidad",
    says="Localidad de la ubicación debe ser una clave vigente de c_Localidad del estado.",
    check=localidad_is_of_state("cartaporte31:c_Localidad"),
    applies=is_in_mexico,
    inseparable=("CP147",),
)


CP145 = row(
    "CP145",
    DomicilioUbicacion,
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion/Domicilio/@Municipio",
    says="Municipio de la ubicación debe ser una clave vigente de c_Municipio del estado.",
    check=municipio_is_of_state("cartaporte31:c_Municipio"),
    applies=is_in_mexico,
    inseparable=("CP147",),
)


CP146 = row(
    "CP146",
    DomicilioUbicacion,
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion/Domicilio/@Estado",
    says="Estado de la ubicación debe ser una clave vigente de c_Estado del país.",
    check=estado_is_of_country("c_Estado"),
    applies=has_states,
)


CP147 = row(
    "CP147",
    DomicilioUbicacion,
    at="Complemento/CartaPorte/Ubicaciones/Ubicacion/Domicilio/@CodigoPostal",
    says="CodigoPostal de la ubicación debe corresponder a su estado, municipio y localidad.",
    check=postal_code_is_of_places,
    applies=is_in_mexico,
)


CP200 = row(
    "CP200",
    DomicilioFigura,
    at="Complemento/CartaPorte/FiguraTransporte/TiposFigura/Domicilio/@Colonia",
    says="Colonia de la figura debe ser una clave de c_Colonia del código postal.",
    check=colonia_is_of_postal_code,
    applies=is_in_mexico,
)


CP201 = row(
    "CP201",
    DomicilioFigura,
    at="Complemento/CartaPorte/FiguraTransporte/TiposFigura/Domicilio/@Localidad",
    says="Localidad de la figura debe ser una clave vigente de c_Localidad del estado.",
    check=localidad_is_of_state("cartaporte31:c_Localidad"),
    applies=is_in_mexico,
    inseparable=("CP204",),
)


CP202 = row(
    "CP202",
    DomicilioFigura,
    at="Complemento/CartaPorte/FiguraTransporte/TiposFigura/Domicilio/@Municipio",
    says="Municipio de la figura debe ser una clave vigente de c_Municipio del estado.",
    check=municipio_is_of_state("cartaporte31:c_Municipio"),
    applies=is_in_mexico,
    inseparable=("CP204",),
)


CP203 = row(
    "CP203",
    DomicilioFigura,
    at="Complemento/CartaPorte/FiguraTransporte/TiposFigura/Domicilio/@Estado",
    says="Estado de la figura debe ser una clave vigente de c_Estado del país.",
    check=estado_is_of_country("c_Estado"),
    applies=has_states,
)


CP204 = row(
    "CP204",
    DomicilioFigura,
    at="Complemento/CartaPorte/FiguraTransporte/TiposFigura/Domicilio/@CodigoPostal",
    says="CodigoPostal de la figura debe corresponder a su estado, municipio y localidad.",
    check=postal_code_is_of_places,
    applies=is_in_mexico,
)
