"""The issuer: CFDI33130, CFDI33131."""

from __future__ import annotations

from timbra.cfdi.nodes import Emisor
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import key_of, regime_for


@rule("CFDI33130", at="Emisor/@RegimenFiscal")
def issuer_regime_is_a_key(emisor: Emisor, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_RegimenFiscal", emisor.RegimenFiscal)


@rule("CFDI33131", at="Emisor/@RegimenFiscal")
def issuer_regime_fits_its_person(emisor: Emisor, ctx: EvaluationContext) -> RuleResult:
    return regime_for(ctx, emisor.RegimenFiscal, emisor.Rfc)
