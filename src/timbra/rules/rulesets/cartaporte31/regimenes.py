"""Customs regimes: CP117, CP118, CP169."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import RegimenAduaneroCCP
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.cartaporte31.envio import EXPORT, IMPORT, envio_of
from timbra.rules.rulesets.cartaporte31.verdicts import listed_in

AT = "Complemento/CartaPorte/RegimenesAduaneros/RegimenAduaneroCCP/@RegimenAduanero"
CATALOG = "cartaporte31:c_RegimenAduanero"
COLUMNS = ((CATALOG, "impoexpo"),)


def enters(regimen: RegimenAduaneroCCP, ctx: EvaluationContext) -> bool:
    return envio_of(regimen, ctx).carta.EntradaSalidaMerc == IMPORT


def leaves(regimen: RegimenAduaneroCCP, ctx: EvaluationContext) -> bool:
    return envio_of(regimen, ctx).carta.EntradaSalidaMerc == EXPORT


def has_direction(regimen: RegimenAduaneroCCP, ctx: EvaluationContext) -> bool:
    return envio_of(regimen, ctx).carta.EntradaSalidaMerc is not None


@rule("CP117", at=AT, applies=has_direction)
def regime_is_a_key(regimen: RegimenAduaneroCCP, ctx: EvaluationContext) -> RuleResult:
    """That there is one where goods cross the border is CP116."""
    return listed_in(ctx, "c_RegimenAduanero", regimen.RegimenAduanero)


@rule("CP118", at=AT, applies=enters, columns=COLUMNS)
def regime_is_of_imports(regimen: RegimenAduaneroCCP, ctx: EvaluationContext) -> RuleResult:
    return _serves(regimen, ctx, IMPORT)


@rule("CP169", at=AT, applies=leaves, columns=COLUMNS)
def regime_is_of_exports(regimen: RegimenAduaneroCCP, ctx: EvaluationContext) -> RuleResult:
    return _serves(regimen, ctx, EXPORT)


def _serves(regimen: RegimenAduaneroCCP, ctx: EvaluationContext, direction: str) -> RuleResult:
    row = ctx.row(CATALOG, regimen.RegimenAduanero)
    if row is None or direction in row["impoexpo"].split(","):
        return None
    return Violation(found=regimen.RegimenAduanero, expected=f"un régimen de {direction}, como EntradaSalidaMerc")
