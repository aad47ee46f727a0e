"""The address of a destination: CCE145 to CCE150."""

from __future__ import annotations

from timbra.cfdi.nodes.comercioexterior20 import DomicilioDestinatario
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.comercioexterior20 import domicilios
from timbra.rules.shared.addresses import READS

AT = DomicilioDestinatario.PATH


@rule("CCE145", at=f"{AT}/@Colonia", reads=READS)
def destination_neighbourhood_is_of_its_postal_code(
    domicilio: DomicilioDestinatario, ctx: EvaluationContext
) -> RuleResult:
    return domicilios.colonia(domicilio, ctx)


@rule("CCE146", at=f"{AT}/@Localidad", reads=READS, inseparable=("CCE150",))
def destination_locality_is_of_its_state(domicilio: DomicilioDestinatario, ctx: EvaluationContext) -> RuleResult:
    return domicilios.localidad(domicilio, ctx)


@rule("CCE147", at=f"{AT}/@Municipio", reads=READS, inseparable=("CCE150",))
def destination_municipality_is_of_its_state(domicilio: DomicilioDestinatario, ctx: EvaluationContext) -> RuleResult:
    return domicilios.municipio(domicilio, ctx)


@rule("CCE148", at=f"{AT}/@Estado", reads=READS)
def destination_state_is_of_its_country(domicilio: DomicilioDestinatario, ctx: EvaluationContext) -> RuleResult:
    return domicilios.estado(domicilio, ctx)


@rule("CCE149", at=f"{AT}/@CodigoPostal", reads=READS)
def destination_postal_code_has_the_form_of_its_country(
    domicilio: DomicilioDestinatario, ctx: EvaluationContext
) -> RuleResult:
    return domicilios.foreign_codigo_postal(domicilio, ctx)


@rule("CCE150", at=f"{AT}/@CodigoPostal", reads=READS)
def destination_postal_code_is_of_its_places(domicilio: DomicilioDestinatario, ctx: EvaluationContext) -> RuleResult:
    return domicilios.codigo_postal(domicilio, ctx)
