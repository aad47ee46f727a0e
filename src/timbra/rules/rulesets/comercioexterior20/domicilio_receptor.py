"""The address of the receiver: CCE136 to CCE141."""

from __future__ import annotations

from timbra.cfdi.nodes.comercioexterior20 import DomicilioReceptor
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.comercioexterior20.domicilios import has_colonia_key
from timbra.rules.shared.addresses import (
    colonia_is_of_postal_code,
    estado_is_of_country,
    has_states,
    is_abroad,
    is_in_mexico,
    localidad_is_of_state,
    municipio_is_of_state,
    postal_code_has_format_of_country,
    postal_code_is_of_places,
)

CCE136 = row(
    "CCE136",
    DomicilioReceptor,
    at="Complemento/ComercioExterior/Receptor/Domicilio/@Colonia",
    says="Colonia del receptor en México debe ser una clave de c_Colonia de su código postal.",
    check=colonia_is_of_postal_code,
    applies=has_colonia_key,
)


CCE137 = row(
    "CCE137",
    DomicilioReceptor,
    at="Complemento/ComercioExterior/Receptor/Domicilio/@Localidad",
    says="Localidad del receptor en México debe ser una clave de c_Localidad de su estado.",
    check=localidad_is_of_state("comercioexterior20:c_Localidad"),
    applies=is_in_mexico,
    inseparable=("CCE141",),
)


CCE138 = row(
    "CCE138",
    DomicilioReceptor,
    at="Complemento/ComercioExterior/Receptor/Domicilio/@Municipio",
    says="Municipio del receptor en México debe ser una clave de c_Municipio de su estado.",
    check=municipio_is_of_state("comercioexterior20:c_Municipio"),
    applies=is_in_mexico,
    inseparable=("CCE141",),
)


CCE139 = row(
    "CCE139",
    DomicilioReceptor,
    at="Complemento/ComercioExterior/Receptor/Domicilio/@Estado",
    says="Estado del receptor debe ser una clave de c_Estado de su país.",
    check=estado_is_of_country("comercioexterior20:c_Estado"),
    applies=has_states,
)


CCE140 = row(
    "CCE140",
    DomicilioReceptor,
    at="Complemento/ComercioExterior/Receptor/Domicilio/@CodigoPostal",
    says="CodigoPostal del receptor debe tener el formato de su país.",
    check=postal_code_has_format_of_country,
    applies=is_abroad,
)


CCE141 = row(
    "CCE141",
    DomicilioReceptor,
    at="Complemento/ComercioExterior/Receptor/Domicilio/@CodigoPostal",
    says="CodigoPostal del receptor en México debe corresponder a su estado, municipio y localidad.",
    check=postal_code_is_of_places,
    applies=is_in_mexico,
)
