"""The address of the issuer: CCE125 to CCE130."""

from __future__ import annotations

from timbra.cfdi.nodes.comercioexterior20 import DomicilioEmisor
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.addresses import (
    MEXICO,
    colonia_is_of_postal_code,
    estado_is_of_mexico,
    localidad_is_of_state,
    municipio_is_of_state,
    postal_code_is_of_places,
)


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
