"""Each purchase: ECC123, keys of TipoCombustible."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.ecc12 import ConceptoEstadoDeCuentaCombustible
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import key_of

AT: Final = "Complemento/EstadoDeCuentaCombustible/Conceptos/ConceptoEstadoDeCuentaCombustible"


@rule("ECC123", at=f"{AT}/@Rfc", needs=(DataRequirement.OBLIGATIONS,))
def station_has_obligations(carga: ConceptoEstadoDeCuentaCombustible, ctx: EvaluationContext) -> RuleResult:
    listed = ctx.reference_data.obligations
    if listed is None or listed.obligations(carga.Rfc) is not None:
        return None
    expected = "un RFC de la lista de contribuyentes obligados (LCO)"
    return Violation(found=carga.Rfc, expected=expected, hint=ctx.reference_data.registry_hint)


@rule("ECC999:TipoCombustible", at=f"{AT}/@TipoCombustible", reads=("TipoCombustible",))
def fuel_is_a_key(carga: ConceptoEstadoDeCuentaCombustible, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "ecc12:c_ClaveTipoCombustible", carga.TipoCombustible)
