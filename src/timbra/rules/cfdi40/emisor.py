"""The issuer: CFDI40138 to CFDI40142."""

from __future__ import annotations

from timbra.cfdi.nodes import Emisor
from timbra.rules.case import Case
from timbra.rules.conditions import key_of, regime_for
from timbra.rules.finding import Breach, Need, Verdict
from timbra.rules.rule import rule
from timbra.rules.texts import name_hint

TAXPAYERS = (Need.TAXPAYERS,)


def acts_for_acquirer(emisor: Emisor, _case: Case) -> bool:
    return emisor.FacAtrAdquirente is not None


@rule("CFDI40138", at="Emisor/@Nombre", needs=TAXPAYERS, inseparable=("402", "305"))
def issuer_is_registered(emisor: Emisor, case: Case) -> Verdict:
    """The name of an RFC that is not registered, or is cancelled, is nobody's."""
    if case.taxpayer(emisor.Rfc) is not None:
        return None
    expected = f"el nombre de un RFC inscrito y no cancelado (l_RFC); {emisor.Rfc} no lo está"
    return Breach(found=emisor.Nombre, expected=expected, hint=case.world.registry_hint)


@rule("CFDI40139", at="Emisor/@Nombre", needs=TAXPAYERS)
def issuer_name_is_that_of_its_rfc(emisor: Emisor, case: Case) -> Verdict:
    taxpayer = case.taxpayer(emisor.Rfc)
    if taxpayer is None or not taxpayer.name or taxpayer.name == emisor.Nombre:
        return None
    return Breach(found=emisor.Nombre, expected=taxpayer.name, hint=name_hint(emisor.Nombre, taxpayer.name))


@rule("CFDI40140", at="Emisor/@RegimenFiscal")
def issuer_regime_is_a_key(emisor: Emisor, case: Case) -> Verdict:
    return key_of(case, "c_RegimenFiscal", emisor.RegimenFiscal)


@rule("CFDI40141", at="Emisor/@RegimenFiscal")
def issuer_regime_fits_its_person(emisor: Emisor, case: Case) -> Verdict:
    return regime_for(case, emisor.RegimenFiscal, emisor.Rfc)


@rule("CFDI40142", at="Emisor/@FacAtrAdquirente", needs=(Need.ACQUIRERS,), applies=acts_for_acquirer)
def acquirer_operation_was_answered(emisor: Emisor, case: Case) -> Verdict:
    """The structure already demands ten digits."""
    number, operations = emisor.FacAtrAdquirente, case.world.acquirers
    if number is None or operations is None or operations.answered(number, emisor.Rfc):
        return None
    return Breach(found=number, expected="un número de operación con respuesta positiva del servicio del SAT")
