"""The invoice that carries the complement, its issuer and its receiver: NOM1 to NOM4, NOM7 to NOM9, NOM11, NOM12."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Emisor, InformacionGlobal, Receptor
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.nomina.keys import TAXPAYERS, WHY, registered, unwanted, written
from timbra.rules.shared.nomina.partes import has_own_rfc, worker_is_a_person


@rule("NOM1", at="@Moneda", inseparable=("CFDI40999:Moneda-N",))
def payroll_is_in_pesos(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return written(comprobante.Moneda, "MXN")


@rule("NOM2", at="@TipoDeComprobante")
def complement_is_of_a_payroll(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    found = comprobante.TipoDeComprobante
    return None if found == "N" else Violation(found=found, expected="N, por el complemento Nómina")


@rule("NOM3", at="@Exportacion")
def payroll_is_no_export(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return written(comprobante.Exportacion, "01")


@rule("NOM4", at="InformacionGlobal")
def payroll_is_not_global(_informacion: InformacionGlobal, _ctx: EvaluationContext) -> RuleResult:
    return Violation(found="InformacionGlobal", expected=f"que no exista {WHY}")


@rule("NOM7", at="Emisor/@FacAtrAdquirente")
def has_no_acquirer(emisor: Emisor, _ctx: EvaluationContext) -> RuleResult:
    return unwanted(emisor.FacAtrAdquirente)


@rule("NOM8", at="Receptor/@Rfc", inseparable=("CFDI40158", "CFDI40161"))
def worker_has_the_rfc_of_a_person(receptor: Receptor, _ctx: EvaluationContext) -> RuleResult:
    """Regime 605 and use CN01 are for persons, too."""
    return worker_is_a_person(receptor)


def is_alive(receptor: Receptor, _ctx: EvaluationContext) -> bool:
    return has_own_rfc(receptor)


@rule("NOM9", at="Receptor/@Rfc", needs=TAXPAYERS, applies=is_alive, inseparable=("CFDI40143",))
def worker_is_registered(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    return registered(ctx, receptor.Rfc)


@rule("NOM11", at="Receptor/@RegimenFiscalReceptor", inseparable=("CFDI40159",))
def worker_is_of_the_regime_of_wages(receptor: Receptor, _ctx: EvaluationContext) -> RuleResult:
    """With an RFC of its own, CFDI40161 breaks in the place of CFDI40159."""
    return written(receptor.RegimenFiscalReceptor, "605")


@rule("NOM12", at="Receptor/@UsoCFDI")
def use_is_payroll(receptor: Receptor, _ctx: EvaluationContext) -> RuleResult:
    return written(receptor.UsoCFDI, "CN01")
