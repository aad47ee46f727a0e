"""Process, committee and accounting: INE180, INE182, INE183, INE185."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.ine11 import INE
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import absent

AT: Final = "Complemento/INE"
ORDINARY: Final = "Ordinario"
ELECTORAL: Final = ("Precampaña", "Campaña")
NATIONAL: Final = "Ejecutivo Nacional"
EXECUTIVE_OF_STATE: Final = "Ejecutivo Estatal"
OF_STATE: Final = (EXECUTIVE_OF_STATE, "Directivo Estatal")


def is_ordinary(ine: INE, _ctx: EvaluationContext) -> bool:
    return ine.TipoProceso == ORDINARY


def is_electoral(ine: INE, _ctx: EvaluationContext) -> bool:
    return ine.TipoProceso in ELECTORAL


@rule("INE180", at=f"{AT}/@TipoComite", applies=is_ordinary)
def ordinary_process_has_its_committee(ine: INE, _ctx: EvaluationContext) -> RuleResult:
    return None if ine.TipoComite is not None else Violation(expected=f"un valor, por TipoProceso {ORDINARY}")


@rule("INE182", at=f"{AT}/@TipoComite", applies=is_electoral, inseparable=("INE184",))
def electoral_process_has_no_committee(ine: INE, _ctx: EvaluationContext) -> RuleResult:
    return absent(ine.TipoComite, f"con TipoProceso {ine.TipoProceso}")


@rule("INE183", at=f"{AT}/@IdContabilidad", applies=is_electoral)
def electoral_process_is_accounted_by_state(ine: INE, _ctx: EvaluationContext) -> RuleResult:
    return absent(ine.IdContabilidad, f"con TipoProceso {ine.TipoProceso}")


@rule("INE185", at=f"{AT}/@IdContabilidad")
def executive_of_state_is_accounted_by_state(ine: INE, _ctx: EvaluationContext) -> RuleResult:
    if ine.TipoComite != EXECUTIVE_OF_STATE:
        return None
    return absent(ine.IdContabilidad, f"con TipoComite {EXECUTIVE_OF_STATE}")
