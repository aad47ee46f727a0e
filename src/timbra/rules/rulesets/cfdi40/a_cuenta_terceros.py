"""Sales on behalf of others: CFDI40187 to CFDI40193, CFDI140223."""

from __future__ import annotations

from timbra.cfdi.nodes import ACuentaTerceros
from timbra.cfdi.rfc import FOREIGN_THIRD_PARTY
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import TAXPAYER_LIST, DataRequirement, Indeterminate, RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import key_of, name_of_its_rfc, with_meaning
from timbra.rules.shared.invoice.border import has_border_iva, is_border

AT = "Conceptos/Concepto/ACuentaTerceros"
FOREIGN_NAME = (
    "EXPEDICIÓN DE CFDI POR RESIDENTES EN MÉXICO QUE PRESTAN SERVICIOS DE INTERMEDIACIÓN ENTRE TERCEROS "
    "A OFERENTES DE BIENES Y SERVICIOS RESIDENTES EN EL EXTRANJERO"
)
NO_OBLIGATIONS = "616"


def is_foreign(third: ACuentaTerceros, _ctx: EvaluationContext) -> bool:
    return third.RfcACuentaTerceros == FOREIGN_THIRD_PARTY


def is_national(third: ACuentaTerceros, _ctx: EvaluationContext) -> bool:
    return third.RfcACuentaTerceros != FOREIGN_THIRD_PARTY


@rule(
    "CFDI40187",
    at=f"{AT}/@RfcACuentaTerceros",
    needs=(DataRequirement.OBLIGATIONS,),
    applies=is_national,
    inseparable=("CFDI40189",),
)
def third_party_has_obligations(third: ACuentaTerceros, ctx: EvaluationContext) -> RuleResult:
    listed = ctx.reference_data.obligations
    if listed is None or listed.obligations(third.RfcACuentaTerceros) is not None:
        return None
    expected = "un RFC de la lista de contribuyentes obligados (LCO)"
    return Violation(found=third.RfcACuentaTerceros, expected=expected, hint=ctx.reference_data.registry_hint)


@rule("CFDI40188", at=f"{AT}/@RfcACuentaTerceros")
def third_party_is_somebody_else(third: ACuentaTerceros, ctx: EvaluationContext) -> RuleResult:
    comprobante, rfc = ctx.comprobante, third.RfcACuentaTerceros
    if rfc == comprobante.emisor.Rfc:
        return Violation(found=rfc, expected="un RFC distinto del emisor")
    if rfc == comprobante.receptor.Rfc:
        return Violation(found=rfc, expected="un RFC distinto del receptor")
    return None


@rule("CFDI40189", at=f"{AT}/@NombreACuentaTerceros")
def third_party_name_is_registered(third: ACuentaTerceros, ctx: EvaluationContext) -> RuleResult:
    """A foreign one has a fixed text; the name of an RFC that is not registered is nobody's."""
    name, rfc = third.NombreACuentaTerceros, third.RfcACuentaTerceros
    if rfc == FOREIGN_THIRD_PARTY:
        return None if name == FOREIGN_NAME else Violation(found=name, expected=FOREIGN_NAME)
    if ctx.reference_data.taxpayers is None:
        return Indeterminate(DataRequirement.TAXPAYERS)
    if ctx.taxpayer(rfc) is not None:
        return None
    expected = f"el nombre de un RFC inscrito y no cancelado (l_RFC); {rfc} no lo está"
    return Violation(found=name, expected=expected, hint=ctx.reference_data.registry_hint, rests_on=TAXPAYER_LIST)


@rule("CFDI40190", at=f"{AT}/@NombreACuentaTerceros", needs=(DataRequirement.TAXPAYERS,), applies=is_national)
def third_party_name_is_that_of_its_rfc(third: ACuentaTerceros, ctx: EvaluationContext) -> RuleResult:
    return name_of_its_rfc(third.NombreACuentaTerceros, ctx.taxpayer(third.RfcACuentaTerceros))


@rule("CFDI40191", at=f"{AT}/@RegimenFiscalACuentaTerceros")
def third_party_regime_is_a_key(third: ACuentaTerceros, ctx: EvaluationContext) -> RuleResult:
    """The standard adds the kind of person; the matrix does not, and providers stamp other regimes."""
    return key_of(ctx, "c_RegimenFiscal", third.RegimenFiscalACuentaTerceros)


@rule("CFDI40192", at=f"{AT}/@DomicilioFiscalACuentaTerceros", needs=(DataRequirement.TAXPAYERS,), applies=is_national)
def third_party_postal_code_exists(third: ACuentaTerceros, ctx: EvaluationContext) -> RuleResult:
    """No taxpayer is registered at a postal code that does not exist."""
    code = third.DomicilioFiscalACuentaTerceros
    if ctx.in_force("c_CodigoPostal", code):
        return None
    return Violation(found=code, expected="un código postal de un domicilio fiscal inscrito (l_RFC)")


@rule("CFDI40193", at=f"{AT}/@DomicilioFiscalACuentaTerceros")
def third_party_postal_code_is_that_of_its_rfc(third: ACuentaTerceros, ctx: EvaluationContext) -> RuleResult:
    """Operations of the border stimulus use a postal code of the border; nobody is asked where they live then."""
    code, place = third.DomicilioFiscalACuentaTerceros, ctx.comprobante.LugarExpedicion
    if third.RfcACuentaTerceros == FOREIGN_THIRD_PARTY:
        return None if code == place else Violation(found=code, expected=f"{place}, el LugarExpedicion")
    if ctx.reference_data.taxpayers is None:
        return Indeterminate(DataRequirement.TAXPAYERS)
    taxpayer = ctx.taxpayer(third.RfcACuentaTerceros)
    if taxpayer is None or taxpayer.has_postal_code(code) or not ctx.in_force("c_CodigoPostal", code):
        return None
    if has_border_iva(ctx.comprobante.concepto_of(third)) and is_border(ctx, code):
        return None
    expected = with_meaning(taxpayer.disclosed_postal_code, "el código postal del domicilio inscrito (l_RFC)")
    return Violation(found=code, expected=expected, rests_on=TAXPAYER_LIST)


@rule("CFDI140223", at=f"{AT}/@RegimenFiscalACuentaTerceros", applies=is_foreign)
def foreign_third_party_has_no_obligations(third: ACuentaTerceros, _ctx: EvaluationContext) -> RuleResult:
    regime = third.RegimenFiscalACuentaTerceros
    return None if regime == NO_OBLIGATIONS else Violation(found=regime, expected=f"616, por {FOREIGN_THIRD_PARTY}")
