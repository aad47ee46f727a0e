"""The issuer's address: CCE125 to CCE130."""

from __future__ import annotations

from timbra.cfdi.nodes.comercioexterior20 import DomicilioEmisor
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.comercioexterior20 import domicilios
from timbra.rules.rulesets.comercioexterior20.domicilios import LOCALIDAD, MUNICIPIO
from timbra.rules.shared.addresses import (
    MEXICO,
    READS,
    codigo_postal_holds,
    colonia_holds,
    localidad_holds,
    municipio_holds,
)

AT = DomicilioEmisor.PATH


@rule("CCE125", at=f"{AT}/@Pais", reads=READS)
def issuer_lives_in_mexico(domicilio: DomicilioEmisor, _ctx: EvaluationContext) -> RuleResult:
    return None if domicilio.Pais == MEXICO else Violation(found=domicilio.Pais, expected=MEXICO)


@rule("CCE126", at=f"{AT}/@Estado", reads=READS, inseparable=("CCE130",))
def issuer_state_is_mexican(domicilio: DomicilioEmisor, ctx: EvaluationContext) -> RuleResult:
    """In another country, which is CCE125, a state of that country."""
    return domicilios.estado(domicilio, ctx)


@rule("CCE127", at=f"{AT}/@Municipio", reads=READS, inseparable=("CCE130",))
def issuer_municipality_is_of_its_state(domicilio: DomicilioEmisor, ctx: EvaluationContext) -> RuleResult:
    return municipio_holds(domicilio, ctx, MUNICIPIO)


@rule("CCE128", at=f"{AT}/@Localidad", reads=READS, inseparable=("CCE130",))
def issuer_locality_is_of_its_state(domicilio: DomicilioEmisor, ctx: EvaluationContext) -> RuleResult:
    return localidad_holds(domicilio, ctx, LOCALIDAD)


@rule("CCE129", at=f"{AT}/@Colonia", reads=READS)
def issuer_neighbourhood_is_of_its_postal_code(domicilio: DomicilioEmisor, ctx: EvaluationContext) -> RuleResult:
    """SAT's schema lets keys alone pass here, so other texts than four digits are refused too."""
    return colonia_holds(domicilio, ctx)


@rule("CCE130", at=f"{AT}/@CodigoPostal", reads=READS)
def issuer_postal_code_is_of_its_places(domicilio: DomicilioEmisor, ctx: EvaluationContext) -> RuleResult:
    return codigo_postal_holds(domicilio, ctx)
