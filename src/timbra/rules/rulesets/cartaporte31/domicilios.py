"""Addresses of locations and figures: CP143 to CP147, CP200 to CP204."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import DomicilioFigura, DomicilioUbicacion
from timbra.rules.engine.rule import row
from timbra.rules.shared.addresses import (
    colonia_is_of_postal_code,
    estado_is_of_country,
    has_states,
    is_in_mexico,
    localidad_is_of_state,
    municipio_is_of_state,
    postal_code_is_of_places,
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
