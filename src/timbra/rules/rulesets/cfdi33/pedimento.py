"""NumeroPedimento of a Concepto and of a Parte: CFDI33170, CFDI33171, CFDI33177, CFDI33178."""

from __future__ import annotations

from timbra.cfdi.nodes import InformacionAduanera, InformacionAduaneraDeParte
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.shared.invoice import customs

CONCEPTO = "Conceptos/Concepto/InformacionAduanera/@NumeroPedimento"
PARTE = "Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento"


@rule("CFDI33170", at=CONCEPTO)
def customs_number_is_possible(aduana: InformacionAduanera, ctx: EvaluationContext) -> RuleResult:
    return customs.possible(aduana.NumeroPedimento, ctx)


@rule("CFDI33171", at=CONCEPTO)
def customs_number_is_absent_in_exports(aduana: InformacionAduanera, ctx: EvaluationContext) -> RuleResult:
    return customs.absent_in_exports(aduana, ctx)


@rule("CFDI33177", at=PARTE)
def customs_number_of_part_is_possible(aduana: InformacionAduaneraDeParte, ctx: EvaluationContext) -> RuleResult:
    return customs.possible(aduana.NumeroPedimento, ctx)


@rule("CFDI33178", at=PARTE)
def customs_number_of_part_is_absent_in_exports(
    aduana: InformacionAduaneraDeParte, ctx: EvaluationContext
) -> RuleResult:
    return customs.absent_in_exports(aduana, ctx)
