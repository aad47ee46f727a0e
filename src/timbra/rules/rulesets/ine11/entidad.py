"""States and their scope: INE181, INE184, INE186, INE187, INE188."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.ine11 import INE, Entidad
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.ine11.comite import NATIONAL, OF_STATE, is_electoral

AT: Final = "Complemento/INE/Entidad"
LOCAL: Final = "Local"
DISTRICTS: Final = ("NAC", "CR1", "CR2", "CR3", "CR4", "CR5")
"""Keys of ClaveEntidad wider than a state: the nation and its electoral districts."""


def is_of_state(ine: INE, _ctx: EvaluationContext) -> bool:
    return ine.TipoComite in OF_STATE


@rule("INE181", at=AT, applies=is_electoral)
def electoral_process_names_states_with_their_scope(ine: INE, _ctx: EvaluationContext) -> RuleResult:
    why = f"por TipoProceso {ine.TipoProceso}"
    if not ine.entidades:
        return Violation(expected=f"al menos una Entidad, {why}")
    for entidad in ine.entidades:
        if entidad.Ambito is None:
            return Violation(expected=f"un valor, {why}", at=f"Entidad[{entidad.index}]/@Ambito")
    return None


@rule("INE184", at=AT)
def national_committee_names_no_state(ine: INE, _ctx: EvaluationContext) -> RuleResult:
    if ine.TipoComite != NATIONAL or not ine.entidades:
        return None
    return Violation(found=ine.entidades[0].ClaveEntidad, expected=f"ninguna Entidad, por TipoComite {NATIONAL}")


@rule("INE186", at=AT, applies=is_of_state)
def committee_of_state_names_states_without_scope(ine: INE, _ctx: EvaluationContext) -> RuleResult:
    why = f"por TipoComite {ine.TipoComite}"
    if not ine.entidades:
        return Violation(expected=f"al menos una Entidad, {why}")
    for entidad in ine.entidades:
        if entidad.Ambito is not None:
            return Violation(
                found=entidad.Ambito, expected=f"que no exista, {why}", at=f"Entidad[{entidad.index}]/@Ambito"
            )
    return None


@rule("INE187", at=f"{AT}/@ClaveEntidad")
def states_are_not_repeated(ine: INE, _ctx: EvaluationContext) -> RuleResult:
    """Each pair of state and scope stands once."""
    seen = set()
    for entidad in ine.entidades:
        pair = (entidad.ClaveEntidad, entidad.Ambito)
        if pair in seen:
            found = " ".join(filter(None, pair))
            place = f"Entidad[{entidad.index}]/@ClaveEntidad"
            return Violation(
                found=found, expected="una combinación de ClaveEntidad y Ambito que no se repita", at=place
            )
        seen.add(pair)
    return None


@rule("INE188", at=f"{AT}/@ClaveEntidad")
def local_scope_is_a_state(entidad: Entidad, _ctx: EvaluationContext) -> RuleResult:
    if entidad.Ambito != LOCAL or entidad.ClaveEntidad not in DISTRICTS:
        return None
    return Violation(found=entidad.ClaveEntidad, expected=f"una entidad federativa, por Ambito {LOCAL}")
