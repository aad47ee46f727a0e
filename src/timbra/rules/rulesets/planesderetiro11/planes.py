"""The complement: PDR101 to PDR104."""

from __future__ import annotations

from timbra.cfdi.nodes.retenciones20.planesderetiro11 import AportacionesODepositos, Planesderetiro
from timbra.rules.engine.context import RetencionesContext
from timbra.rules.engine.result import RuleResult, Severity, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.planesderetiro11.sources import SCHEMA

FIDUCIARY = "c"
"""Key of c_TipoAportODep: contributions under article 258 of the regulations of the LISR."""


def withdrew(plan: Planesderetiro, _ctx: RetencionesContext) -> bool:
    return plan.MontTotRetiradoAnioInmAntPer is not None


def _present(text: str | None) -> RuleResult:
    return None if text is not None else Violation(expected="que exista, por MontTotRetiradoAnioInmAntPer")


@rule(
    "PDR101",
    at="Complemento/Planesderetiro/@MontTotExentRetiradoAnioInmAnt",
    says="MontTotExentRetiradoAnioInmAnt debe existir cuando existe MontTotRetiradoAnioInmAntPer.",
    applies=withdrew,
)
def exempt_part_is_present(plan: Planesderetiro, _ctx: RetencionesContext) -> RuleResult:
    return _present(plan.MontTotExentRetiradoAnioInmAnt)


@rule(
    "PDR102",
    at="Complemento/Planesderetiro/@MontTotExedenteAnioInmAnt",
    says="MontTotExedenteAnioInmAnt debe existir cuando existe MontTotRetiradoAnioInmAntPer.",
    applies=withdrew,
)
def excess_is_present(plan: Planesderetiro, _ctx: RetencionesContext) -> RuleResult:
    return _present(plan.MontTotExedenteAnioInmAnt)


@rule(
    "PDR103",
    at="Complemento/Planesderetiro/@MontTotRetiradoAnioInmAntPer",
    says="MontTotRetiradoAnioInmAntPer debe ser la suma de la parte exenta y del excedente.",
    applies=withdrew,
)
def withdrawal_is_the_sum(plan: Planesderetiro, _ctx: RetencionesContext) -> RuleResult:
    total = plan.exento + plan.excedente
    if plan.retirado == total:
        return None
    return Violation(found=plan.MontTotRetiradoAnioInmAntPer, expected=f"{total:f}, parte exenta más excedente")


@rule(
    "PDR104",
    at="Complemento/Planesderetiro",
    says="TipoAportacionODeposito debe ser distinto en cada nodo AportacionesODepositos.",
)
def kinds_of_contributions_are_distinct(plan: Planesderetiro, _ctx: RetencionesContext) -> RuleResult:
    seen: set[str] = set()
    for row in plan.aportaciones:
        if row.TipoAportacionODeposito in seen:
            at = f"AportacionesODepositos[{row.index}]/@TipoAportacionODeposito"
            return Violation(found=row.TipoAportacionODeposito, expected="una clave que otro nodo no tenga", at=at)
        seen.add(row.TipoAportacionODeposito)
    return None


@rule(
    "PDR999:RET-PDR-258",
    at="Complemento/Planesderetiro/AportacionesODepositos/@RFCFiduciaria",
    says="Con TipoAportacionODeposito c, RFCFiduciaria debe existir.",
    severity=Severity.WARNING,
    cites=SCHEMA,
)
def fiduciary_is_named(row: AportacionesODepositos, _ctx: RetencionesContext) -> RuleResult:
    if row.TipoAportacionODeposito != FIDUCIARY or row.RFCFiduciaria is not None:
        return None
    return Violation(expected="el RFC de la fiduciaria, por TipoAportacionODeposito c")


@rule(
    "PDR999:RET-PDR-flags",
    at="Complemento/Planesderetiro",
    says="Si hubo retiros, debe existir su monto, y si no los hubo, no debe existir.",
    severity=Severity.WARNING,
    cites=SCHEMA,
)
def flags_have_their_amounts(plan: Planesderetiro, _ctx: RetencionesContext) -> RuleResult:
    pairs = (
        ("MontTotRetiradoAnioInmAntPer", plan.MontTotRetiradoAnioInmAntPer, plan.HuboRetirosAnioInmAntPer),
        ("MontTotRetiradoAnioInmAnt", plan.MontTotRetiradoAnioInmAnt, plan.HuboRetirosAnioInmAnt),
    )
    for name, amount, flag in pairs:
        if flag == "SI" and amount is None:
            return Violation(expected="que exista, porque hubo retiros", at=f"@{name}")
        if flag == "NO" and amount is not None:
            return Violation(found=amount, expected="que no exista, porque no hubo retiros", at=f"@{name}")
    return None
