"""The purchases of the account: ECC123 and the keys of TipoCombustible."""

from __future__ import annotations

from timbra.cfdi.nodes.ecc12 import ConceptoEstadoDeCuentaCombustible
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.ecc12.sources import SCHEMA
from timbra.rules.shared.predicates import in_catalog


@rule(
    "ECC123",
    at="Complemento/EstadoDeCuentaCombustible/Conceptos/ConceptoEstadoDeCuentaCombustible/@Rfc",
    says=("El RFC de quien vendió el combustible debe estar en la lista de contribuyentes obligados (LCO)."),
    needs=(DataRequirement.OBLIGATIONS,),
)
def supplier_has_obligations(carga: ConceptoEstadoDeCuentaCombustible, ctx: EvaluationContext) -> RuleResult:
    listed = ctx.reference_data.obligations
    if listed is None or listed.obligations(carga.Rfc) is not None:
        return None
    expected = "un RFC de la lista de contribuyentes obligados (LCO)"
    return Violation(found=carga.Rfc, expected=expected, hint=ctx.reference_data.registry_hint)


ECC999_TipoCombustible = row(
    "ECC999:TipoCombustible",
    ConceptoEstadoDeCuentaCombustible,
    at="Complemento/EstadoDeCuentaCombustible/Conceptos/ConceptoEstadoDeCuentaCombustible/@TipoCombustible",
    says="TipoCombustible debe ser una clave vigente de c_ClaveTipoCombustible.",
    check=in_catalog("ecc12:c_ClaveTipoCombustible", "TipoCombustible"),
    cites=SCHEMA,
)
