"""Addresses of issuer, receiver and recipients: CCE125 to CCE130, CCE136 to CCE141, CCE145 to CCE150."""

from __future__ import annotations

import re
from typing import Final

from timbra.cfdi.nodes.comercioexterior20 import DomicilioDestinatario, DomicilioEmisor, DomicilioReceptor
from timbra.cfdi.nodes.domicilio import Domicilio
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.addresses import (
    MEXICO,
    colonia_is_of_postal_code,
    estado_is_of_country,
    estado_is_of_mexico,
    has_states,
    is_abroad,
    is_in_mexico,
    localidad_is_of_state,
    municipio_is_of_state,
    postal_code_has_format_of_country,
    postal_code_is_of_places,
)

_KEY: Final = re.compile(r"[0-9]{4}")


def has_colonia_key(domicilio: Domicilio, ctx: EvaluationContext) -> bool:
    """Whether Colonia is a key: four digits in an address in Mexico. Any other text is a name."""
    colonia = domicilio.Colonia
    return colonia is not None and is_in_mexico(domicilio, ctx) and _KEY.fullmatch(colonia) is not None


@rule(
    "CCE125",
    at="Complemento/ComercioExterior/Emisor/Domicilio/@Pais",
    says="Pais del domicilio del emisor debe ser MEX.",
)
def country_is_mexico(domicilio: DomicilioEmisor, _ctx: EvaluationContext) -> RuleResult:
    return None if domicilio.Pais == MEXICO else Violation(found=domicilio.Pais, expected=MEXICO)


CCE126 = row(
    "CCE126",
    DomicilioEmisor,
    at="Complemento/ComercioExterior/Emisor/Domicilio/@Estado",
    says="Estado del domicilio del emisor debe ser una clave de c_Estado de México.",
    note="También con otro país, que incumple CCE125.",
    check=estado_is_of_mexico("comercioexterior20:c_Estado"),
    inseparable=("CCE130",),
)


CCE127 = row(
    "CCE127",
    DomicilioEmisor,
    at="Complemento/ComercioExterior/Emisor/Domicilio/@Municipio",
    says="Municipio del domicilio del emisor debe ser una clave de c_Municipio de su estado.",
    check=municipio_is_of_state("comercioexterior20:c_Municipio"),
    inseparable=("CCE130",),
)


CCE128 = row(
    "CCE128",
    DomicilioEmisor,
    at="Complemento/ComercioExterior/Emisor/Domicilio/@Localidad",
    says="Localidad del domicilio del emisor debe ser una clave de c_Localidad de su estado.",
    check=localidad_is_of_state("comercioexterior20:c_Localidad"),
    inseparable=("CCE130",),
)


CCE129 = row(
    "CCE129",
    DomicilioEmisor,
    at="Complemento/ComercioExterior/Emisor/Domicilio/@Colonia",
    says="Colonia del domicilio del emisor debe ser una clave de c_Colonia de su código postal.",
    note=("El esquema del SAT solo admite claves: también se rechaza un texto que no es de cuatro dígitos."),
    check=colonia_is_of_postal_code,
)


CCE130 = row(
    "CCE130",
    DomicilioEmisor,
    at="Complemento/ComercioExterior/Emisor/Domicilio/@CodigoPostal",
    says="CodigoPostal del domicilio del emisor debe corresponder a su estado, municipio y localidad.",
    check=postal_code_is_of_places,
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
