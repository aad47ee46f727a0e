"""Sales on behalf of others: CFDI40187 to CFDI40193, CFDI140223."""

from __future__ import annotations

from timbra.cfdi.nodes import ACuentaTerceros
from timbra.cfdi.rfc import FOREIGN_THIRD_PARTY
from timbra.rules.case import Case
from timbra.rules.conditions import key_of
from timbra.rules.finding import TOLD_BY_L_RFC, Breach, Need, Unknown, Verdict
from timbra.rules.invoice.border import has_border_iva, is_border
from timbra.rules.rule import rule
from timbra.rules.texts import name_hint

AT = "Conceptos/Concepto/ACuentaTerceros"
FOREIGN_NAME = (
    "EXPEDICIÓN DE CFDI POR RESIDENTES EN MÉXICO QUE PRESTAN SERVICIOS DE INTERMEDIACIÓN ENTRE TERCEROS "
    "A OFERENTES DE BIENES Y SERVICIOS RESIDENTES EN EL EXTRANJERO"
)
NO_OBLIGATIONS = "616"


def is_foreign(third: ACuentaTerceros, _case: Case) -> bool:
    return third.RfcACuentaTerceros == FOREIGN_THIRD_PARTY


def is_national(third: ACuentaTerceros, _case: Case) -> bool:
    return third.RfcACuentaTerceros != FOREIGN_THIRD_PARTY


@rule(
    "CFDI40187",
    at=f"{AT}/@RfcACuentaTerceros",
    needs=(Need.OBLIGATIONS,),
    applies=is_national,
    inseparable=("CFDI40189",),
)
def third_party_has_obligations(third: ACuentaTerceros, case: Case) -> Verdict:
    listed = case.world.obligations
    if listed is None or listed.obligations(third.RfcACuentaTerceros) is not None:
        return None
    expected = "un RFC de la lista de contribuyentes obligados (LCO)"
    return Breach(found=third.RfcACuentaTerceros, expected=expected, hint=case.world.registry_hint)


@rule("CFDI40188", at=f"{AT}/@RfcACuentaTerceros")
def third_party_is_somebody_else(third: ACuentaTerceros, case: Case) -> Verdict:
    comprobante, rfc = case.comprobante, third.RfcACuentaTerceros
    if rfc == comprobante.emisor.Rfc:
        return Breach(found=rfc, expected="un RFC distinto del emisor")
    if rfc == comprobante.receptor.Rfc:
        return Breach(found=rfc, expected="un RFC distinto del receptor")
    return None


@rule("CFDI40189", at=f"{AT}/@NombreACuentaTerceros")
def third_party_name_is_registered(third: ACuentaTerceros, case: Case) -> Verdict:
    """A foreign one has a fixed text; the name of an RFC that is not registered is nobody's."""
    name, rfc = third.NombreACuentaTerceros, third.RfcACuentaTerceros
    if rfc == FOREIGN_THIRD_PARTY:
        return None if name == FOREIGN_NAME else Breach(found=name, expected=FOREIGN_NAME)
    if case.world.taxpayers is None:
        return Unknown(Need.TAXPAYERS)
    if case.taxpayer(rfc) is not None:
        return None
    expected = f"el nombre de un RFC inscrito y no cancelado (l_RFC); {rfc} no lo está"
    return Breach(found=name, expected=expected, hint=case.world.registry_hint, rests_on=TOLD_BY_L_RFC)


@rule("CFDI40190", at=f"{AT}/@NombreACuentaTerceros", needs=(Need.TAXPAYERS,), applies=is_national)
def third_party_name_is_that_of_its_rfc(third: ACuentaTerceros, case: Case) -> Verdict:
    name, taxpayer = third.NombreACuentaTerceros, case.taxpayer(third.RfcACuentaTerceros)
    if taxpayer is None or taxpayer.name in ("", name):
        return None
    return Breach(found=name, expected=taxpayer.name, hint=name_hint(name, taxpayer.name))


@rule("CFDI40191", at=f"{AT}/@RegimenFiscalACuentaTerceros")
def third_party_regime_is_a_key(third: ACuentaTerceros, case: Case) -> Verdict:
    """The standard adds the kind of person; the matrix does not, and providers stamp other regimes."""
    return key_of(case, "c_RegimenFiscal", third.RegimenFiscalACuentaTerceros)


@rule("CFDI40192", at=f"{AT}/@DomicilioFiscalACuentaTerceros", needs=(Need.TAXPAYERS,), applies=is_national)
def third_party_postal_code_exists(third: ACuentaTerceros, case: Case) -> Verdict:
    """No taxpayer is registered at a postal code that does not exist."""
    code = third.DomicilioFiscalACuentaTerceros
    if case.in_force("c_CodigoPostal", code):
        return None
    return Breach(found=code, expected="un código postal de un domicilio fiscal inscrito (l_RFC)")


@rule("CFDI40193", at=f"{AT}/@DomicilioFiscalACuentaTerceros")
def third_party_postal_code_is_that_of_its_rfc(third: ACuentaTerceros, case: Case) -> Verdict:
    """Operations of the border stimulus use a postal code of the border; nobody is asked where they live then."""
    code, place = third.DomicilioFiscalACuentaTerceros, case.comprobante.LugarExpedicion
    if third.RfcACuentaTerceros == FOREIGN_THIRD_PARTY:
        return None if code == place else Breach(found=code, expected=f"{place}, el LugarExpedicion")
    if case.world.taxpayers is None:
        return Unknown(Need.TAXPAYERS)
    taxpayer = case.taxpayer(third.RfcACuentaTerceros)
    if taxpayer is None or taxpayer.postal_code in ("", code) or not case.in_force("c_CodigoPostal", code):
        return None
    if has_border_iva(case.comprobante.concepto_of(third)) and is_border(case, code):
        return None
    expected = f"{taxpayer.postal_code}, el código postal del domicilio inscrito (l_RFC)"
    return Breach(found=code, expected=expected, rests_on=TOLD_BY_L_RFC)


@rule("CFDI140223", at=f"{AT}/@RegimenFiscalACuentaTerceros", applies=is_foreign)
def foreign_third_party_has_no_obligations(third: ACuentaTerceros, _case: Case) -> Verdict:
    regime = third.RegimenFiscalACuentaTerceros
    return None if regime == NO_OBLIGATIONS else Breach(found=regime, expected=f"616, por {FOREIGN_THIRD_PARTY}")
