"""Customs regimes: CP117, CP118, CP169."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import RegimenAduaneroCCP
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.cartaporte31.envio import EXPORT, IMPORT, envio_of, has_entrada, has_salida
from timbra.rules.shared.predicates import Predicate, in_catalog

CATALOG = "cartaporte31:c_RegimenAduanero"
COLUMNS = ((CATALOG, "impoexpo"),)


def has_direction(regimen: RegimenAduaneroCCP, ctx: EvaluationContext) -> bool:
    return envio_of(regimen, ctx).carta.EntradaSalidaMerc is not None


def is_regime_of(direction: str) -> Predicate:
    """RegimenAduanero is a regime of the direction in c_RegimenAduanero; an unknown key satisfies it.

    Args:
        direction: a value of EntradaSalidaMerc.
    """

    def check(regimen: RegimenAduaneroCCP, ctx: EvaluationContext) -> RuleResult:
        row = ctx.row(CATALOG, regimen.RegimenAduanero)
        if row is None or direction in row["impoexpo"].split(","):
            return None
        return Violation(found=regimen.RegimenAduanero, expected=f"un régimen de {direction}, como EntradaSalidaMerc")

    return check


CP117 = row(
    "CP117",
    RegimenAduaneroCCP,
    at="Complemento/CartaPorte/RegimenesAduaneros/RegimenAduaneroCCP/@RegimenAduanero",
    says="RegimenAduanero debe ser una clave vigente de c_RegimenAduanero.",
    note="Que exista un régimen cuando la mercancía cruza la frontera se revisa en CP116.",
    check=in_catalog("cartaporte31:c_RegimenAduanero", "RegimenAduanero"),
    applies=has_direction,
)


CP118 = row(
    "CP118",
    RegimenAduaneroCCP,
    at="Complemento/CartaPorte/RegimenesAduaneros/RegimenAduaneroCCP/@RegimenAduanero",
    says="Con EntradaSalidaMerc Entrada, RegimenAduanero debe ser un régimen de entrada.",
    check=is_regime_of(IMPORT),
    applies=has_entrada,
    columns=COLUMNS,
)


CP169 = row(
    "CP169",
    RegimenAduaneroCCP,
    at="Complemento/CartaPorte/RegimenesAduaneros/RegimenAduaneroCCP/@RegimenAduanero",
    says="Con EntradaSalidaMerc Salida, RegimenAduanero debe ser un régimen de salida.",
    check=is_regime_of(EXPORT),
    applies=has_salida,
    columns=COLUMNS,
)
