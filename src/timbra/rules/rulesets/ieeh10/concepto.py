"""What a Concepto must not hold: IEEH109 to IEEH113."""

from __future__ import annotations

from timbra.cfdi.nodes import ACuentaTerceros, Concepto
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.shared.hidrocarburos.comprobante import (
    AT,
    forbidden,
    has_no_complement,
    has_no_customs,
    has_no_parts,
    has_no_property,
)


@rule("IEEH109", at=f"{AT}/ACuentaTerceros")
def income_has_no_third_party(_third: ACuentaTerceros, _ctx: EvaluationContext) -> RuleResult:
    return forbidden("ACuentaTerceros")


@rule("IEEH110", at=f"{AT}/InformacionAduanera")
def income_was_not_imported(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return has_no_customs(concepto)


@rule("IEEH111", at=f"{AT}/CuentaPredial")
def income_is_no_rent(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return has_no_property(concepto, ctx)


@rule("IEEH112", at=f"{AT}/ComplementoConcepto")
def income_has_no_complement_of_its_concepto(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return has_no_complement(concepto)


@rule("IEEH113", at=f"{AT}/Parte")
def income_has_no_parts(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return has_no_parts(concepto)
