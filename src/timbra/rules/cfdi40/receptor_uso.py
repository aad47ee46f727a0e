"""Regime and use of the receiver: CFDI40157 to CFDI40161."""

from __future__ import annotations

from timbra.cfdi.nodes import Receptor
from timbra.cfdi.rfc import FOREIGN
from timbra.rules.case import Case
from timbra.rules.cfdi40.receptor import KEYS, is_generic
from timbra.rules.conditions import key_of, person_of, regime_for
from timbra.rules.finding import TOLD_BY_L_RFC, Breach, Verdict
from timbra.rules.rule import rule

GENERIC_USES = {"I": ("S01",), "T": ("S01",), "E": ("S01", "G02"), "P": ("CP01",), "N": ("CN01",)}
"""Uses of CFDI of a generic receiver, by TipoDeComprobante (guía de llenado)."""
FOREIGN_USES = {**GENERIC_USES, "I": ("S01", "CP01")}
"""c_UsoCFDI admits CP01 for regime 616, and providers stamp it on invoices to foreigners."""


@rule("CFDI40157", at="Receptor/@RegimenFiscalReceptor", reads=KEYS)
def receiver_regime_is_a_key(receptor: Receptor, case: Case) -> Verdict:
    return key_of(case, "c_RegimenFiscal", receptor.RegimenFiscalReceptor)


@rule("CFDI40158", at="Receptor/@RegimenFiscalReceptor")
def receiver_regime_is_its_own(receptor: Receptor, case: Case) -> Verdict:
    """For its kind of person and, where the list tells regimes, one of those registered."""
    regime = receptor.RegimenFiscalReceptor
    breach = regime_for(case, regime, receptor.Rfc)
    if breach is not None or receptor.is_generic or not case.in_force("c_RegimenFiscal", regime):
        return breach
    taxpayer = case.taxpayer(receptor.Rfc)
    if taxpayer is None or not taxpayer.regimes or regime in taxpayer.regimes:
        return None
    expected = f"un régimen inscrito del receptor: {', '.join(sorted(taxpayer.regimes))}"
    return Breach(found=regime, expected=expected, rests_on=TOLD_BY_L_RFC)


@rule("CFDI40159", at="Receptor/@RegimenFiscalReceptor", applies=is_generic, applies_reads=KEYS)
def generic_receiver_has_no_obligations(receptor: Receptor, case: Case) -> Verdict:
    """In Nómina the receiver is a worker: 605, also with a generic RFC (NOM11)."""
    expected = "605" if case.comprobante.TipoDeComprobante == "N" else "616"
    if receptor.RegimenFiscalReceptor == expected:
        return None
    return Breach(found=receptor.RegimenFiscalReceptor, expected=f"{expected}, por el RFC {receptor.Rfc}")


@rule("CFDI40160", at="Receptor/@UsoCFDI", reads=KEYS)
def use_is_a_key(receptor: Receptor, case: Case) -> Verdict:
    return key_of(case, "c_UsoCFDI", receptor.UsoCFDI)


@rule("CFDI40161", at="Receptor/@UsoCFDI")
def use_fits_person_and_regime(receptor: Receptor, case: Case) -> Verdict:
    uso, regime = receptor.UsoCFDI, receptor.RegimenFiscalReceptor
    row = case.row("c_UsoCFDI", uso)
    if row is None or not case.in_force("c_RegimenFiscal", regime):
        return None
    if receptor.is_generic:
        return _generic_use(receptor, case.comprobante.TipoDeComprobante)
    regimes = [listed.strip() for listed in row["regimenes_fiscales_receptores"].split(",")]
    if row[person_of(receptor.Rfc)] and regime in regimes:
        return None
    if not row[person_of(receptor.Rfc)]:
        return Breach(found=uso, expected=f"un uso que aplique al tipo de persona del RFC {receptor.Rfc}")
    return Breach(found=uso, expected=f"un uso compatible con el régimen {regime}; {uso} admite {', '.join(regimes)}")


def _generic_use(receptor: Receptor, tipo: str) -> Verdict:
    allowed = (FOREIGN_USES if receptor.Rfc == FOREIGN else GENERIC_USES).get(tipo)
    if allowed is None or receptor.UsoCFDI in allowed:
        return None
    expected = f"{' o '.join(allowed)}, por el RFC {receptor.Rfc} en un comprobante de tipo {tipo}"
    return Breach(found=receptor.UsoCFDI, expected=expected)
