"""Regime and use of the receiver: CFDI40157 to CFDI40161."""

from __future__ import annotations

from timbra.cfdi.nodes import Receptor
from timbra.cfdi.rfc import FOREIGN
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import TAXPAYER_LIST, RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.cfdi40.receptor import KEYS, is_generic
from timbra.rules.shared.conditions import key_of, person_of, regime_for

GENERIC_USES = {"I": ("S01",), "T": ("S01",), "E": ("S01", "G02"), "P": ("CP01",), "N": ("CN01",)}
"""Uses of CFDI of a generic receiver, by TipoDeComprobante (guía de llenado)."""
FOREIGN_USES = {**GENERIC_USES, "I": ("S01", "CP01")}
"""c_UsoCFDI admits CP01 for regime 616, and providers stamp it on invoices to foreigners."""


@rule("CFDI40157", at="Receptor/@RegimenFiscalReceptor", reads=KEYS)
def receiver_regime_is_a_key(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_RegimenFiscal", receptor.RegimenFiscalReceptor)


@rule("CFDI40158", at="Receptor/@RegimenFiscalReceptor")
def receiver_regime_is_its_own(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    """For its kind of person and, where the list tells regimes, one of those registered."""
    regime = receptor.RegimenFiscalReceptor
    violation = regime_for(ctx, regime, receptor.Rfc)
    if violation is not None or receptor.is_generic or not ctx.in_force("c_RegimenFiscal", regime):
        return violation
    taxpayer = ctx.taxpayer(receptor.Rfc)
    if taxpayer is None or taxpayer.has_regime(regime):
        return None
    listed = taxpayer.disclosed_regimes
    expected = f"un régimen inscrito del receptor: {listed}" if listed else "un régimen inscrito del receptor (l_RFC)"
    return Violation(found=regime, expected=expected, rests_on=TAXPAYER_LIST)


@rule("CFDI40159", at="Receptor/@RegimenFiscalReceptor", applies=is_generic, applies_reads=KEYS)
def generic_receiver_has_no_obligations(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    """In Nómina the receiver is a worker: 605, also with a generic RFC (NOM11)."""
    expected = "605" if ctx.comprobante.TipoDeComprobante == "N" else "616"
    if receptor.RegimenFiscalReceptor == expected:
        return None
    return Violation(found=receptor.RegimenFiscalReceptor, expected=f"{expected}, por el RFC {receptor.Rfc}")


@rule("CFDI40160", at="Receptor/@UsoCFDI", reads=KEYS)
def use_is_a_key(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_UsoCFDI", receptor.UsoCFDI)


@rule("CFDI40161", at="Receptor/@UsoCFDI")
def use_fits_person_and_regime(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    uso, regime = receptor.UsoCFDI, receptor.RegimenFiscalReceptor
    row = ctx.row("c_UsoCFDI", uso)
    if row is None or not ctx.in_force("c_RegimenFiscal", regime):
        return None
    if receptor.is_generic:
        return _generic_use(receptor, ctx.comprobante.TipoDeComprobante)
    regimes = [listed.strip() for listed in row["regimenes_fiscales_receptores"].split(",")]
    if row[person_of(receptor.Rfc)] and regime in regimes:
        return None
    if not row[person_of(receptor.Rfc)]:
        return Violation(found=uso, expected=f"un uso que aplique al tipo de persona del RFC {receptor.Rfc}")
    return Violation(
        found=uso, expected=f"un uso compatible con el régimen {regime}; {uso} admite {', '.join(regimes)}"
    )


def _generic_use(receptor: Receptor, tipo: str) -> RuleResult:
    allowed = (FOREIGN_USES if receptor.Rfc == FOREIGN else GENERIC_USES).get(tipo)
    if allowed is None or receptor.UsoCFDI in allowed:
        return None
    expected = f"{' o '.join(allowed)}, por el RFC {receptor.Rfc} en un comprobante de tipo {tipo}"
    return Violation(found=receptor.UsoCFDI, expected=expected)
