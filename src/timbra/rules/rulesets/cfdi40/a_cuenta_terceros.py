"""Conceptos sold on behalf of a third party: CFDI40187 to CFDI40193, CFDI140223."""

from __future__ import annotations

from timbra.cfdi.nodes import ACuentaTerceros
from timbra.cfdi.rfc import FOREIGN_THIRD_PARTY
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import TAXPAYER_LIST, DataRequirement, Indeterminate, RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.invoice.impuestos import has_border_iva, is_in_border_region
from timbra.rules.shared.invoice.parties import is_registered_name, name_of_any_taxpayer
from timbra.rules.shared.predicates import equals, in_catalog, with_meaning

FOREIGN_NAME = (
    "EXPEDICIÓN DE CFDI POR RESIDENTES EN MÉXICO QUE PRESTAN SERVICIOS DE INTERMEDIACIÓN ENTRE TERCEROS "
    "A OFERENTES DE BIENES Y SERVICIOS RESIDENTES EN EL EXTRANJERO"
)


def is_foreign(third: ACuentaTerceros, _ctx: EvaluationContext) -> bool:
    """Whether the third party resides abroad."""
    return third.RfcACuentaTerceros == FOREIGN_THIRD_PARTY


def is_national(third: ACuentaTerceros, _ctx: EvaluationContext) -> bool:
    """Whether the third party has an RFC of its own."""
    return third.RfcACuentaTerceros != FOREIGN_THIRD_PARTY


@rule(
    "CFDI40187",
    at="Conceptos/Concepto/ACuentaTerceros/@RfcACuentaTerceros",
    says="RfcACuentaTerceros debe estar en la lista de contribuyentes obligados.",
    applies=is_national,
    needs=(DataRequirement.OBLIGATIONS,),
)
def third_party_has_obligations(third: ACuentaTerceros, ctx: EvaluationContext) -> RuleResult:
    obligations = ctx.reference_data.obligations
    if obligations is None or obligations.obligations(third.RfcACuentaTerceros) is not None:
        return None
    expected = "un RFC de la lista de contribuyentes obligados (LCO)"
    return Violation(found=third.RfcACuentaTerceros, expected=expected, hint=ctx.reference_data.registry_hint)


@rule(
    "CFDI40188",
    at="Conceptos/Concepto/ACuentaTerceros/@RfcACuentaTerceros",
    says="RfcACuentaTerceros debe ser distinto del RFC del emisor y del receptor.",
)
def third_party_differs_from_issuer_and_receiver(third: ACuentaTerceros, ctx: EvaluationContext) -> RuleResult:
    comprobante, rfc = ctx.comprobante, third.RfcACuentaTerceros
    if rfc == comprobante.emisor.Rfc:
        return Violation(found=rfc, expected="un RFC distinto del emisor")
    if rfc == comprobante.receptor.Rfc:
        return Violation(found=rfc, expected="un RFC distinto del receptor")
    return None


@rule(
    "CFDI40189",
    at="Conceptos/Concepto/ACuentaTerceros/@NombreACuentaTerceros",
    says="NombreACuentaTerceros debe estar inscrito, o ser el texto fijo del tercero extranjero.",
    note="Se busca el nombre en toda la lista: sin un índice de nombres, otro nombre no se puede evaluar.",
    reported_after="CFDI40190",
)
def third_party_name_is_registered(third: ACuentaTerceros, ctx: EvaluationContext) -> RuleResult:
    name, rfc = third.NombreACuentaTerceros, third.RfcACuentaTerceros
    if rfc == FOREIGN_THIRD_PARTY:
        return None if name == FOREIGN_NAME else Violation(found=name, expected=FOREIGN_NAME)
    return name_of_any_taxpayer(ctx, name, rfc)


CFDI40190 = row(
    "CFDI40190",
    ACuentaTerceros,
    at="Conceptos/Concepto/ACuentaTerceros/@NombreACuentaTerceros",
    says="NombreACuentaTerceros debe ser el registrado para su RFC.",
    check=is_registered_name("NombreACuentaTerceros", "RfcACuentaTerceros"),
    applies=is_national,
    needs=(DataRequirement.TAXPAYERS,),
)


CFDI40191 = row(
    "CFDI40191",
    ACuentaTerceros,
    at="Conceptos/Concepto/ACuentaTerceros/@RegimenFiscalACuentaTerceros",
    says="RegimenFiscalACuentaTerceros debe ser una clave vigente de c_RegimenFiscal.",
    note="El estándar exige además el tipo de persona; la matriz no, y los proveedores timbran otros regímenes.",
    check=in_catalog("c_RegimenFiscal", "RegimenFiscalACuentaTerceros"),
)


@rule(
    "CFDI40192",
    at="Conceptos/Concepto/ACuentaTerceros/@DomicilioFiscalACuentaTerceros",
    says="DomicilioFiscalACuentaTerceros debe estar en la lista de RFC inscritos y no cancelados.",
    note="Se incumple cuando el código postal no existe; si existe y es de otro contribuyente, se informa CFDI40193.",
    applies=is_national,
    needs=(DataRequirement.TAXPAYERS,),
)
def third_party_postal_code_exists(third: ACuentaTerceros, ctx: EvaluationContext) -> RuleResult:
    code = third.DomicilioFiscalACuentaTerceros
    if ctx.in_force("c_CodigoPostal", code):
        return None
    return Violation(found=code, expected="un código postal de un domicilio fiscal inscrito (l_RFC)")


@rule(
    "CFDI40193",
    at="Conceptos/Concepto/ACuentaTerceros/@DomicilioFiscalACuentaTerceros",
    says="DomicilioFiscalACuentaTerceros debe ser el de su RFC, o LugarExpedicion si es extranjero.",
    note="Con IVA de 8 % se admite cualquier código postal de la franja fronteriza.",
)
def third_party_postal_code_equals_registered_one(third: ACuentaTerceros, ctx: EvaluationContext) -> RuleResult:
    code, place = third.DomicilioFiscalACuentaTerceros, ctx.comprobante.LugarExpedicion
    if third.RfcACuentaTerceros == FOREIGN_THIRD_PARTY:
        return None if code == place else Violation(found=code, expected=f"{place}, el LugarExpedicion")
    if ctx.reference_data.taxpayers is None:
        return Indeterminate(DataRequirement.TAXPAYERS)
    taxpayer = ctx.taxpayer(third.RfcACuentaTerceros)
    if taxpayer is None or taxpayer.has_postal_code(code) or not ctx.in_force("c_CodigoPostal", code):
        return None
    if has_border_iva(ctx.comprobante.concepto_of(third)) and is_in_border_region(ctx, code):
        return None
    expected = with_meaning(taxpayer.disclosed_postal_code, "el código postal del domicilio inscrito (l_RFC)")
    return Violation(found=code, expected=expected, rests_on=TAXPAYER_LIST)


CFDI140223 = row(
    "CFDI140223",
    ACuentaTerceros,
    at="Conceptos/Concepto/ACuentaTerceros/@RegimenFiscalACuentaTerceros",
    says="Con el RFC EXT990101NI1, RegimenFiscalACuentaTerceros debe ser 616.",
    check=equals("RegimenFiscalACuentaTerceros", "616", f"por {FOREIGN_THIRD_PARTY}"),
    applies=is_foreign,
)
