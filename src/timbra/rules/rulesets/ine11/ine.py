"""The complement: process, committee, states and their scope: INE180 to INE188."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.ine11 import INE, Entidad
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.presence import is_absent_with, is_present_with

LOCAL: Final = "Local"
DISTRICTS: Final = ("NAC", "CR1", "CR2", "CR3", "CR4", "CR5")
"""Keys of ClaveEntidad for the country and its electoral districts."""
ORDINARY: Final = "Ordinario"
ELECTORAL: Final = ("Precampaña", "Campaña")
NATIONAL: Final = "Ejecutivo Nacional"
EXECUTIVE_OF_STATE: Final = "Ejecutivo Estatal"
OF_STATE: Final = (EXECUTIVE_OF_STATE, "Directivo Estatal")


def is_electoral(ine: INE, _ctx: EvaluationContext) -> bool:
    return ine.TipoProceso in ELECTORAL


def is_state_committee(ine: INE, _ctx: EvaluationContext) -> bool:
    return ine.TipoComite in OF_STATE


@rule(
    "INE181",
    at="Complemento/INE/Entidad",
    says="Con TipoProceso Precampaña o Campaña debe haber al menos una Entidad, y todas con Ambito.",
    applies=is_electoral,
)
def has_states_with_scope(ine: INE, _ctx: EvaluationContext) -> RuleResult:
    why = f"por TipoProceso {ine.TipoProceso}"
    if not ine.entidades:
        return Violation(expected=f"al menos una Entidad, {why}")
    for entidad in ine.entidades:
        if entidad.Ambito is None:
            return Violation(expected=f"un valor, {why}", at=f"Entidad[{entidad.index}]/@Ambito")
    return None


@rule(
    "INE184",
    at="Complemento/INE/Entidad",
    says="Con TipoComite Ejecutivo Nacional no debe haber ninguna Entidad.",
)
def national_committee_has_no_states(ine: INE, _ctx: EvaluationContext) -> RuleResult:
    if ine.TipoComite != NATIONAL or not ine.entidades:
        return None
    return Violation(found=ine.entidades[0].ClaveEntidad, expected=f"ninguna Entidad, por TipoComite {NATIONAL}")


@rule(
    "INE186",
    at="Complemento/INE/Entidad",
    says=("Con TipoComite Ejecutivo o Directivo Estatal debe haber al menos una Entidad, y ninguna con Ambito."),
    applies=is_state_committee,
)
def state_committee_has_states_without_scope(ine: INE, _ctx: EvaluationContext) -> RuleResult:
    why = f"por TipoComite {ine.TipoComite}"
    if not ine.entidades:
        return Violation(expected=f"al menos una Entidad, {why}")
    for entidad in ine.entidades:
        if entidad.Ambito is not None:
            return Violation(
                found=entidad.Ambito, expected=f"que no exista, {why}", at=f"Entidad[{entidad.index}]/@Ambito"
            )
    return None


@rule(
    "INE187",
    at="Complemento/INE/Entidad/@ClaveEntidad",
    says="La combinación de ClaveEntidad y Ambito no debe repetirse.",
    note="Cada combinación de entidad y ámbito aparece una sola vez.",
)
def has_unique_states(ine: INE, _ctx: EvaluationContext) -> RuleResult:
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


@rule(
    "INE188",
    at="Complemento/INE/Entidad/@ClaveEntidad",
    says=("Con Ambito Local, ClaveEntidad debe ser una entidad federativa, no el país ni una circunscripción."),
)
def local_scope_is_of_a_state(entidad: Entidad, _ctx: EvaluationContext) -> RuleResult:
    if entidad.Ambito != LOCAL or entidad.ClaveEntidad not in DISTRICTS:
        return None
    return Violation(found=entidad.ClaveEntidad, expected=f"una entidad federativa, por Ambito {LOCAL}")


INE180 = row(
    "INE180",
    INE,
    at="Complemento/INE/@TipoComite",
    says="Con TipoProceso Ordinario, TipoComite debe existir.",
    check=is_present_with("TipoComite", "TipoProceso", (ORDINARY,)),
)


INE182 = row(
    "INE182",
    INE,
    at="Complemento/INE/@TipoComite",
    says="Con TipoProceso Precampaña o Campaña, TipoComite no debe existir.",
    check=is_absent_with("TipoComite", "TipoProceso", ELECTORAL),
    inseparable=("INE184",),
)


INE183 = row(
    "INE183",
    INE,
    at="Complemento/INE/@IdContabilidad",
    says="Con TipoProceso Precampaña o Campaña, IdContabilidad del nodo INE no debe existir.",
    check=is_absent_with("IdContabilidad", "TipoProceso", ELECTORAL),
)


INE185 = row(
    "INE185",
    INE,
    at="Complemento/INE/@IdContabilidad",
    says="Con TipoComite Ejecutivo Estatal, IdContabilidad del nodo INE no debe existir.",
    check=is_absent_with("IdContabilidad", "TipoComite", (EXECUTIVE_OF_STATE,)),
)
