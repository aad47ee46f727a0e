"""The invoice that carries the complement, its issuer and its receiver: NOM1 to NOM4, NOM7 to NOM9, NOM11, NOM12."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Emisor, InformacionGlobal, Receptor
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Verdict
from timbra.rules.nomina.keys import TAXPAYERS, WHY, registered, unwanted, written
from timbra.rules.nomina.partes import has_own_rfc, worker_is_a_person
from timbra.rules.rule import rule


@rule("NOM1", at="@Moneda", inseparable=("CFDI40999:Moneda-N",))
def payroll_is_in_pesos(comprobante: Comprobante, _case: Case) -> Verdict:
    return written(comprobante.Moneda, "MXN")


@rule("NOM2", at="@TipoDeComprobante")
def complement_is_of_a_payroll(comprobante: Comprobante, _case: Case) -> Verdict:
    found = comprobante.TipoDeComprobante
    return None if found == "N" else Breach(found=found, expected="N, por el complemento Nómina")


@rule("NOM3", at="@Exportacion")
def payroll_is_no_export(comprobante: Comprobante, _case: Case) -> Verdict:
    return written(comprobante.Exportacion, "01")


@rule("NOM4", at="InformacionGlobal")
def payroll_is_not_global(_informacion: InformacionGlobal, _case: Case) -> Verdict:
    return Breach(found="InformacionGlobal", expected=f"que no exista {WHY}")


@rule("NOM7", at="Emisor/@FacAtrAdquirente")
def nobody_acquires(emisor: Emisor, _case: Case) -> Verdict:
    return unwanted(emisor.FacAtrAdquirente)


@rule("NOM8", at="Receptor/@Rfc", inseparable=("CFDI40158", "CFDI40161"))
def worker_has_the_rfc_of_a_person(receptor: Receptor, _case: Case) -> Verdict:
    """Regime 605 and use CN01 are for persons, too."""
    return worker_is_a_person(receptor)


def is_alive(receptor: Receptor, _case: Case) -> bool:
    return has_own_rfc(receptor)


@rule("NOM9", at="Receptor/@Rfc", needs=TAXPAYERS, applies=is_alive, inseparable=("CFDI40143",))
def worker_is_registered(receptor: Receptor, case: Case) -> Verdict:
    return registered(case, receptor.Rfc)


@rule("NOM11", at="Receptor/@RegimenFiscalReceptor", inseparable=("CFDI40159",))
def worker_is_of_the_regime_of_wages(receptor: Receptor, _case: Case) -> Verdict:
    """With an RFC of its own, CFDI40161 breaks in the place of CFDI40159."""
    return written(receptor.RegimenFiscalReceptor, "605")


@rule("NOM12", at="Receptor/@UsoCFDI")
def use_is_payroll(receptor: Receptor, _case: Case) -> Verdict:
    return written(receptor.UsoCFDI, "CN01")
