"""The address of a recipient: CCE145 to CCE150."""

from __future__ import annotations

from timbra.cfdi.nodes.comercioexterior20 import DomicilioDestinatario
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

CCE145 = row(
    "CCE145",
    DomicilioDestinatario,
    at="Complemento/ComercioExterior/Destinatario/Domicilio/@Colonia",
    says="Colonia del destinatario en México debe ser una clave de c_Colonia de su código postal.",
    check=colonia_is_of_postal_code,
    applies=has_colonia_key,
)


CCE146 = row(
    "CCE146",
    DomicilioDestinatario,
    at="Complemento/ComercioExterior/Destinatario/Domicilio/@Localidad",
    says="Localidad del destinatario en México debe ser una clave de c_Localidad de su estado.",
    check=localidad_is_of_state("comercioexterior20:c_Localidad"),
    applies=is_in_mexico,
    inseparable=("CCE150",),
)


CCE147 = row(
    "CCE147",
    DomicilioDestinatario,
    at="Complemento/ComercioExterior/Destinatario/Domicilio/@Municipio",
    says="Municipio del destinatario en México debe ser una clave de c_Municipio de su estado.",
    check=municipio_is_of_state("comercioexterior20:c_Municipio"),
    applies=is_in_mexico,
    inseparable=("CCE150",),
)


CCE148 = row(
    "CCE148",
    DomicilioDestinatario,
    at="Complemento/ComercioExterior/Destinatario/Domicilio/@Estado",
    says="Estado del destinatario debe ser una clave de c_Estado de su país.",
    check=estado_is_of_country("comercioexterior20:c_Estado"),
    applies=has_states,
)


CCE149 = row(
    "CCE149",
    DomicilioDestinatario,
    at="Complemento/ComercioExterior/Destinatario/Domicilio/@CodigoPostal",
    says="CodigoPostal del destinatario debe tener el formato de su país.",
    check=postal_code_has_format_of_country,
    applies=is_abroad,
)


CCE150 = row(
    "CCE150",
    DomicilioDestinatario,
    at="Complemento/ComercioExterior/Destinatario/Domicilio/@CodigoPostal",
    says=("CodigoPostal del destinatario en México debe corresponder a su estado, municipio y localidad."),
    check=postal_code_is_of_places,
    applies=is_in_mexico,
)
