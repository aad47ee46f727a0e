"""The receiver's address: CCE136 to CCE141."""

from __future__ import annotations

from timbra.cfdi.nodes.comercioexterior20 import DomicilioReceptor
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.comercioexterior20 import domicilios
from timbra.rules.shared.addresses import READS

AT = DomicilioReceptor.PATH


@rule("CCE136", at=f"{AT}/@Colonia", reads=READS)
def receiver_neighbourhood_is_of_its_postal_code(domicilio: DomicilioReceptor, ctx: EvaluationContext) -> RuleResult:
    return domicilios.colonia(domicilio, ctx)


@rule("CCE137", at=f"{AT}/@Localidad", reads=READS, inseparable=("CCE141",))
def receiver_locality_is_of_its_state(domicilio: DomicilioReceptor, ctx: EvaluationContext) -> RuleResult:
    return domicilios.localidad(domicilio, ctx)


@rule("CCE138", at=f"{AT}/@Municipio", reads=READS, inseparable=("CCE141",))
def receiver_municipality_is_of_its_state(domicilio: DomicilioReceptor, ctx: EvaluationContext) -> RuleResult:
    return domicilios.municipio(domicilio, ctx)


@rule("CCE139", at=f"{AT}/@Estado", reads=READS)
def receiver_state_is_of_its_country(domicilio: DomicilioReceptor, ctx: EvaluationContext) -> RuleResult:
    return domicilios.estado(domicilio, ctx)


@rule("CCE140", at=f"{AT}/@CodigoPostal", reads=READS)
def receiver_postal_code_has_the_form_of_its_country(
    domicilio: DomicilioReceptor, ctx: EvaluationContext
) -> RuleResult:
    return domicilios.foreign_codigo_postal(domicilio, ctx)


@rule("CCE141", at=f"{AT}/@CodigoPostal", reads=READS)
def receiver_postal_code_is_of_its_places(domicilio: DomicilioReceptor, ctx: EvaluationContext) -> RuleResult:
    return domicilios.codigo_postal(domicilio, ctx)
